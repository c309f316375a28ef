/** The content coding in which SDKs of AWS send some uploads: chunks with signatures, and trailers after the last one. */
export const AWS_CHUNKED = 'aws-chunked';

export interface Unchunked {
  content: Buffer;
  /** The checksums of the content. Other trailers are dropped: as headers they would change a request that people have seen. */
  checksums: Record<string, string>;
}

/** @returns null if the body is not valid aws-chunked content */
export function unchunked(body: Buffer): Unchunked | null {
  const parts: Buffer[] = [];
  let at = 0;
  const line = (): string | null => {
    const end = body.indexOf('\r\n', at);
    if (end < 0) return null;
    const text = body.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const size = /^([0-9a-f]{1,8})(;|$)/i.exec(line() ?? '')?.[1];
    if (size === undefined) return null;
    const length = parseInt(size, 16);
    if (length === 0) break;
    if (at + length > body.length) return null;
    parts.push(body.subarray(at, at + length));
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
  return { content: Buffer.concat(parts), checksums };
}
