/**
 * A short device name such as `Safari on iPhone`. User agents can be wrong, so this is a hint. The title has the full
 * text.
 */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^node\b|undici/i, 'Node'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

const first = (text: string, known: [RegExp, string][]): string | null =>
  known.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/** null if no part of the text is known. */
export function deviceName(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const browser = first(userAgent, BROWSERS);
  const system = first(userAgent, SYSTEMS);
  return browser && system ? `${browser} on ${system}` : (browser ?? system);
}
