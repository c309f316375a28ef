/**
 * The content coding in which SDKs of AWS send some uploads: chunks with signatures, and trailers after the last one.
 */
export const AWS_CHUNKED = 'aws-chunked';

/** Each chunk costs time. AWS wants chunks of at least 8 kB. */
const CHUNKS_MAX = 100_000;

interface Unchunked {
  content: Buffer;
  /**
   * The checksums of the content. Other trailers are dropped: as headers they would change a request that people have
   * seen.
   */
  checksums: Record<string, string>;
}

/** @returns null if the body is not valid aws-chunked content */
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
  while (at < body.length) {
    const trailer = line();
    if (trailer === null) return null;
    const [, name, value] = /^(x-amz-checksum-[a-z0-9-]+):(.*)$/.exec(trailer) ?? [];
    if (name !== undefined) checksums[name] = value.trim();
  }
  return { content: content.subarray(0, filled), checksums };
}
