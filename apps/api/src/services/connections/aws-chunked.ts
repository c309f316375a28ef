import { EgressFailure } from '#egress';
import type { SignableRequest, SignedRequest } from './injection.js';

/** Headers that describe the chunks to S3. Without chunks they would be wrong. */
const ABOUT_CHUNKS = new Set(['x-amz-decoded-content-length', 'x-amz-trailer', 'content-encoding']);

/**
 * The same content without the chunks in which the SDKs of AWS send some uploads (`Content-Encoding: aws-chunked`): the agent's
 * chunk signatures are made with a key that AWS doesn't know. Checksums after the last chunk become headers.
 */
export function withoutChunks({ headers, body }: SignableRequest): SignedRequest {
  const codings = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-encoding')?.[1] ?? '';
  const others = codings.split(',').map((coding) => coding.trim());
  if (body === null || !others.includes('aws-chunked')) return { headers, body };
  const { content, trailers } = decoded(body);
  const rest = others.filter((coding) => coding !== 'aws-chunked' && coding !== '').join(', ');
  const kept = Object.entries(headers).filter(([name]) => !ABOUT_CHUNKS.has(name.toLowerCase()));
  return {
    headers: {
      ...Object.fromEntries(kept),
      ...(rest === '' ? {} : { 'Content-Encoding': rest }),
      ...trailers,
    },
    body: content,
  };
}

/** @throws EgressFailure */
function decoded(body: Buffer): { content: Buffer; trailers: Record<string, string> } {
  const parts: Buffer[] = [];
  let at = 0;
  const line = (): string => {
    const end = body.indexOf('\r\n', at);
    if (end < 0) throw malformed();
    const text = body.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const size = /^([0-9a-f]{1,8})(;|$)/i.exec(line())?.[1];
    if (size === undefined) throw malformed();
    const length = parseInt(size, 16);
    if (length === 0) break;
    if (at + length > body.length) throw malformed();
    parts.push(body.subarray(at, at + length));
    at += length;
    if (line() !== '') throw malformed();
  }
  const trailers: Record<string, string> = {};
  while (at < body.length) {
    const [, name, value] = /^(x-amz-[a-z0-9-]+):(.*)$/.exec(line()) ?? [];
    if (name !== undefined && name !== 'x-amz-trailer-signature') trailers[name] = value.trim();
  }
  return { content: Buffer.concat(parts), trailers };
}

const malformed = (): EgressFailure =>
  new EgressFailure('not_sent', false, 'the body is not valid aws-chunked content');
