/**
 * `a, b and 3 more`: as many as fit, at least one.
 * @param toText is asked only about those, because it may cost time
 */
export function enumerated<T>(items: readonly T[], max: number, toText: (item: T) => string): string {
  const shown: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = toText(item);
    length += text.length + 2;
    if (shown.length > 0 && length > max) break;
    shown.push(text);
  }
  const more = items.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
