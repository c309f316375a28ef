/** Small bars that show a trend beside a number. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const top = Math.max(1, ...values);
  const width = values.length * 4;
  return (
    <svg width={width} height="22" viewBox={`0 0 ${width} 22`} role="img" aria-label={label} style={{ flex: 'none' }}>
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / top) * 22);
        return (
          <rect
            key={index}
            x={index * 4}
            y={22 - height}
            width="3"
            height={height}
            fill={value === 0 ? 'var(--agw-line)' : 'var(--agw-accent)'}
          />
        );
      })}
    </svg>
  );
}
