import { methodsIn, overridesIn, type BatchPart } from './batch-part.js';

/** The first line of a request, with or without the version. */
const REQUEST = /(?:^|\n)[ \t]*([a-z]{3,9})[ \t]+(\S{1,2000})[ \t]*(?:HTTP\/\d(?:\.\d)?)?[ \t]*(?=\r?\n|$)/gi;
/** A batch of more requests is not read to its end. */
const PARTS_MAX = 1000;

/** The requests in a multipart body, as in a batch of OData and of Google: parts of `application/http`. */
export function httpParts(body: string): BatchPart[] {
  const parts: BatchPart[] = [];
  for (const { index, 0: line, 1: method, 2: path } of body.matchAll(REQUEST)) {
    const own = methodsIn(method);
    if (own.length === 0) continue;
    const end = body.indexOf('\n--', index + line.length);
    const rest = body.slice(index + line.length, end === -1 ? undefined : end).replace(/^\r?\n/, '');
    const [head] = rest.split(/(?:^|\n)\r?\n/, 1);
    const headers = headersIn(head);
    const methods = [...new Set([...own, ...overridesIn(headers)])];
    parts.push({
      methods,
      path,
      headers: Object.fromEntries(headers),
      body: rest.slice(head.length).trim() || null,
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
