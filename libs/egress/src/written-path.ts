/**
 * Path and query as the agent wrote them. The URL parser drops an empty query, and encodes apostrophes in queries, but
 * some APIs sign what they get, or compare it. Whatever else the parser changes is sent as the guard and the rules read
 * it: a server must not see other segments than they did.
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
