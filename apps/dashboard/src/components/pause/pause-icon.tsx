/** In the style of `components/icon.tsx`, but not among the icons that every page loads. */
export function PauseIcon({ resume = false }: { resume?: boolean }) {
  return (
    <svg
      width={18}
      height={18}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: 'none' }}
    >
      <path d={resume ? 'M6.5 4.5 15 10l-8.5 5.5z' : 'M7 4.5v11M13 4.5v11'} />
    </svg>
  );
}
