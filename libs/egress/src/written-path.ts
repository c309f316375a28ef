/**
 * Returns path and query as the agent wrote them, where only an empty query or apostrophes in the query differ. The URL
 * parser drops the one and encodes the others, but some APIs sign or compare what they get. All other changes by the
 * parser stay, because a server must see the same segments as the guard and the rules.
 * @param url the parsed `targetUrl`
 */
export function writtenPath(targetUrl: string, { pathname, search }: URL): string {
  const read = pathname + search;
  const at = targetUrl.indexOf('?');
  if (at < 0) return read;
  const written = /^[^/?#]*\/\/[^/?#]*([^#]*)/.exec(targetUrl)?.[1] ?? '';
  const begin = written.indexOf('?');
  if (begin < 0) return read;
  const query = written.slice(begin);
  const whole = (written.slice(0, begin) || '/') + query.replaceAll("'", '%27');
  if (whole !== read && whole !== `${read}?`) return read;
  return pathname + query;
}
