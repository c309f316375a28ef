/**
 * The content coding in which SDKs of AWS send some uploads: chunks with signatures, and trailers after the last one.
 */
export const AWS_CHUNKED = 'aws-chunked';

/** Each chunk costs time. AWS wants chunks of at least 8 kB. */
const CHUNKS_MAX = 100_000;
/** SDKs send a checksum and its signature. */
const TRAILERS_MAX = 20;

export interface Unchunked {
  content: Buffer;
  /** The checksums of the content in base64, which are sent as headers. */
  checksums: Record<string, string>;
}

const CHECKSUM = /^x-amz-checksum-[a-z0-9]{3,20}$/;
/** Base64, and after a hyphen the number of parts. */
const CHECKSUM_VALUE = /^[A-Za-z0-9+/=-]{1,128}$/;

/**
 * Signatures of chunks and trailers besides checksums are dropped: they are the agent's, and nobody would see them.
 * @returns null if the body is not valid aws-chunked content
 */
export function unchunked(body: Buffer): Unchunked | null {
  const content = Buffer.allocUnsafe(body.length);
  let [at, filled] = [0, 0];
  const line = (): string | null => {
    const end = body.indexOf('\r\n', at);
    if (end < 0) return null;
    const text = body.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  for (let chunk = 0; ; chunk++) {
    const size = /^([0-9a-f]{1,8})(;|$)/i.exec(line() ?? '')?.[1];
    if (size === undefined || chunk > CHUNKS_MAX) return null;
    const length = parseInt(size, 16);
    if (length === 0) break;
    if (at + length > body.length) return null;
    filled += body.copy(content, filled, at, at + length);
    at += length;
    if (line() !== '') return null;
  }
  const checksums: Record<string, string> = {};
  for (let count = 0; at < body.length; count++) {
    const trailer = line();
    if (trailer === null) return null;
    if (trailer === '') break;
    if (count === TRAILERS_MAX) return null;
    const colon = trailer.indexOf(':');
    const name = trailer.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!CHECKSUM.test(name)) continue;
    const value = trailer.slice(colon + 1).trim();
    if (!CHECKSUM_VALUE.test(value) || Object.hasOwn(checksums, name)) return null;
    checksums[name] = value;
  }
  return at < body.length ? null : { content: content.subarray(0, filled), checksums };
}
