import { methodsIn, overridesIn, type BatchPart } from './batch-part.js';

/** The first line of a request, with or without the version. */
const REQUEST =
  /(?:^|\n)[ \t]{0,20}([a-z]{3,9})[ \t]{1,20}(\S{1,2000})(?:[ \t]{1,20}HTTP\/\d(?:\.\d)?)?[ \t]{0,20}(?=\r?\n|$)/gi;
/** A batch of more requests is not read to its end. */
const PARTS_MAX = 1000;
/** What is longer is not read to its end: a multipart body is `unclear` anyway, and the parts may have no end. */
const [HEAD_MAX, BODY_MAX] = [4000, 20_000];

/** The requests in a multipart body, as in a batch of OData and of Google: parts of `application/http`. */
export function httpParts(body: string): BatchPart[] {
  const parts: BatchPart[] = [];
  for (const { index, 0: line, 1: method, 2: path } of body.matchAll(REQUEST)) {
    const own = methodsIn(method);
    if (own.length === 0) continue;
    const start = index + line.length;
    const [rest] = body.slice(start, start + HEAD_MAX + BODY_MAX).split('\n--', 1);
    const text = rest.replace(/^\r?\n/, '');
    const [head] = text.split(/(?:^|\n)\r?\n/, 1);
    const headers = headersIn(head.slice(0, HEAD_MAX));
    const methods = [...new Set([...own, ...overridesIn(headers)])];
    parts.push({
      methods,
      path,
      headers: Object.fromEntries(headers),
      body: text.slice(head.length).trim() || null,
      isUnsure: methods.length > 1,
    });
    if (parts.length > PARTS_MAX) break;
  }
  return parts;
}

/** Headers, one a line. */
export const headersIn = (head: string): [string, string][] =>
  head.split(/\r?\n/).flatMap((line): [string, string][] => {
    const at = line.indexOf(':');
    return at === -1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]];
  });
