import { codingsOf, EgressFailure } from '#egress';
import { AWS_CHUNKED, unchunked } from '../../egress/aws-chunks.js';
import type { SignableRequest, SignedRequest } from './injection.js';

/** Headers that describe the chunks to S3. Without chunks they would be wrong. */
const ABOUT_CHUNKS = new Set(['x-amz-decoded-content-length', 'x-amz-trailer', 'content-encoding']);

/**
 * The same content without the chunks in which the SDKs of AWS send some uploads (`Content-Encoding: aws-chunked`): the
 * agent's chunk signatures are made with a key that AWS doesn't know. Checksums after the last chunk become headers.
 */
export function withoutChunks({ headers, body }: SignableRequest): SignedRequest {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'content-encoding' ? [value] : [],
  );
  const codings = codingsOf(given.join(','));
  if (body === null || !codings.includes(AWS_CHUNKED)) return { headers, body };
  const found = unchunked(body);
  if (found === null) throw new EgressFailure('not_sent', false, 'the body is not valid aws-chunked content');
  const rest = codings.filter((coding) => coding !== AWS_CHUNKED).join(', ');
  const kept = Object.entries(headers).filter(([name]) => !ABOUT_CHUNKS.has(name.toLowerCase()));
  return {
    headers: {
      ...Object.fromEntries(kept),
      ...(rest === '' ? {} : { 'Content-Encoding': rest }),
      ...found.checksums,
    },
    body: found.content,
  };
}
