import * as zlib from 'node:zlib';
import { BodyCollector, decoderBytes } from '#egress';
import { ApiError, errors } from '../platform/errors.js';
import { inMb } from '../platform/http/body-bytes.js';

/** The limits for a body without its codings. */
export interface DecodingLimits {
  maxBytes: number;
  /**
   * Charges to the sender the memory of the bytes that are decoded so far and of their decoder. It is called before the
   * memory is taken, and with a smaller number when the decoder is gone. @throws ApiError 429, 503
   */
  charge?: (bytes: number) => void;
}

export interface DecodedBody {
  content: Buffer;
  /**
   * Whether the coded bytes say nothing besides the content: one gzip member without optional fields, or one zlib or br
   * stream, and nothing after it.
   */
  isExact: boolean;
}

/** More layers than any client uses. Each layer costs a pass over up to the maximum body size. */
const MAX_CODINGS = 3;
/** Limits for the size of zlib's pieces: large bodies get few, small bodies get small ones. */
const PIECE_MIN = 16 * 1024;
const PIECE_MAX = 256 * 1024;

/**
 * Undoes the content codings of a request body.
 * @param codings in the order in which they were applied
 * @throws ApiError 400, 413, 415, and what `charge` throws
 */
export async function decodeRequest(body: Buffer, codings: string[], limits: DecodingLimits): Promise<DecodedBody> {
  if (codings.length > MAX_CODINGS) throw errors.invalid(`Content-Encoding: has more than ${MAX_CODINGS} codings`);
  let decoded: DecodedBody = { content: body, isExact: true };
  let charged = 0;
  for (const coding of codings.toReversed()) {
    const undo = UNDO[coding];
    if (undo === undefined) throw new ApiError(415, 'Content-Encoding must be gzip, deflate or br, or be left out');
    if (decoded.content.length === 0) throw errors.invalid(`body: is not valid ${coding}, as Content-Encoding says`);
    const before = charged;
    const charge = (bytes: number): void => limits.charge?.((charged = before + bytes));
    decoded = await undo(decoded.content, { maxBytes: limits.maxBytes, charge }, coding);
  }
  return { ...decoded, isExact: decoded.isExact && codings.length === 1 };
}

type Undo = (body: Buffer, limits: DecodingLimits, coding: string) => Promise<DecodedBody>;
type Engine = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress;

const UNDO: Partial<Record<string, Undo>> = Object.assign(Object.create(null) as object, {
  gzip: undoGzip,
  'x-gzip': undoGzip,
  deflate: undoDeflate,
  br: (body: Buffer, limits: DecodingLimits, coding: string) =>
    whole(zlib.createBrotliDecompress, body, limits, coding),
});

const GZIP_HEAD = 10;
const GZIP_END = 8;

/** RFC 1952. A member without optional fields is read here, because zlib does not tell one member from several. */
async function undoGzip(body: Buffer, limits: DecodingLimits, coding: string): Promise<DecodedBody> {
  const isPlain = body.length > GZIP_HEAD && body.readUInt32BE(0) === 0x1f8b0800;
  const only = isPlain ? await onlyMember(body, limits, coding) : null;
  return only ?? { ...(await whole(zlib.createGunzip, body, limits, coding)), isExact: false };
}

/** @returns null if something follows the member, which may be another one */
async function onlyMember(body: Buffer, limits: DecodingLimits, coding: string): Promise<DecodedBody | null> {
  const { content, read } = await run(zlib.createInflateRaw, body.subarray(GZIP_HEAD), limits, coding);
  const end = body.subarray(GZIP_HEAD + read);
  if (end.length > GZIP_END) return null;
  const isValid =
    end.length === GZIP_END &&
    end.readUInt32LE(0) === zlib.crc32(content) &&
    end.readUInt32LE(4) === content.length % 2 ** 32;
  if (!isValid) throw invalid(coding);
  return { content, isExact: true };
}

/**
 * By the standard, `deflate` is zlib's format, whose first byte has 8 in its low bits. Some clients send a raw stream,
 * which servers read or refuse.
 */
async function undoDeflate(body: Buffer, limits: DecodingLimits, coding: string): Promise<DecodedBody> {
  const isZlib = (body[0] & 0x0f) === 8;
  const decoded = await whole(isZlib ? zlib.createInflate : zlib.createInflateRaw, body, limits, coding);
  return { ...decoded, isExact: isZlib };
}

async function whole(
  create: (options: zlib.ZlibOptions) => Engine,
  body: Buffer,
  limits: DecodingLimits,
  coding: string,
): Promise<DecodedBody> {
  const { content, read } = await run(create, body, limits, coding);
  if (read < body.length) throw errors.invalid(`body: has bytes after the end of its ${coding} stream`);
  return { content, isExact: true };
}

/** @returns the decoded bytes, and how many bytes of the body they took */
async function run(
  create: (options: zlib.ZlibOptions) => Engine,
  body: Buffer,
  { maxBytes, charge }: DecodingLimits,
  coding: string,
): Promise<{ content: Buffer; read: number }> {
  const chunkSize = Math.min(PIECE_MAX, Math.max(PIECE_MIN, body.length * 4));
  const engineBytes = decoderBytes([coding], body[0]) + chunkSize;
  charge?.(engineBytes);
  const engine = create({ chunkSize });
  const content = new BodyCollector(maxBytes);
  try {
    engine.end(body);
    for await (const piece of engine as AsyncIterable<Buffer>) {
      const size = content.size + piece.length;
      if (size > maxBytes) throw errors.bodyTooLarge(inMb(maxBytes));
      charge?.(size + engineBytes);
      content.add(piece);
    }
    return { content: content.take(), read: engine.bytesWritten };
  } catch (error) {
    throw error instanceof ApiError ? error : invalid(coding);
  } finally {
    // The loop has destroyed the engine.
    charge?.(content.size);
  }
}

const invalid = (coding: string): ApiError => errors.invalid(`body: is not valid ${coding}, as Content-Encoding says`);
