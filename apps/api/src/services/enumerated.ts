/** `a, b and 3 more`: as many as fit, at least one. */
export function enumerated(texts: readonly string[], max: number): string {
  const shown: string[] = [];
  let length = 0;
  for (const text of texts) {
    length += text.length + 2;
    if (shown.length > 0 && length > max) break;
    shown.push(text);
  }
  const more = texts.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
