import type { Answer } from './answer.js';

/**
 * Headers that describe the bytes of a body: their digest, checksum or length. Clouds and stores have their own:
 * `x-amz-checksum-crc32`, `x-goog-hash`, `x-ms-blob-content-md5`, `X-Checksum-Sha256`.
 */
export const DIGEST_HEADER =
  /^(?:(?:content-|repr-|unencoded-)?digest|content-(?:md5|sha-?\d+|crc\w+)|x-goog-hash|x-goog-stored-content-(?:length|encoding)|x-(?:cos|oss|obs|tos)-hash-crc64\w*|x-(?:[\w-]*-)?(?:content-(?:md5|sha-?\d+|crc\w+|digest)|content-length)|(?:[\w-]*-)?checksum(?:-[\w-]*)?)$/;

/** The headers of a body that the gateway has changed: without digests, and with a weak `ETag`. */
export const ofChangedBody = (headers: Answer['headers']): Answer['headers'] =>
  withoutDigests(headers).map(([name, value]) => (name.toLowerCase() === 'etag' ? [name, weak(value)] : [name, value]));

/** The headers of a body that may change on its way. */
export const withoutDigests = (headers: Answer['headers']): Answer['headers'] =>
  headers.filter(([name]) => !DIGEST_HEADER.test(name.toLowerCase()));

/** RFC 9110, section 8.8.1: a strong validator means equal bytes. */
const weak = (etag: string): string => (/^\s*"/.test(etag) ? `W/${etag.trim()}` : etag);
