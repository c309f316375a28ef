/** The colours of the series in charts and their legends. */
export const COLORS = {
  forwarded: 'var(--agw-accent)',
  held: 'var(--agw-chart-held)',
  refused: 'var(--agw-chart-refused)',
  p50: 'var(--agw-accent)',
  p95: 'var(--agw-chart-refused)',
  threshold: 'var(--mantine-color-text)',
  low: 'var(--agw-low)',
  medium: 'var(--agw-chart-held)',
  high: 'var(--agw-high)',
  critical: 'var(--agw-critical)',
} as const;

export type Tone = keyof typeof COLORS;
