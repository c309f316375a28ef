import { createHash, hash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PROXY_BODY_LARGEST_BYTES } from '#contracts/limits';
import { parseCodings } from '#egress';
import { errors } from '../platform/errors.js';
import { textMemoryBytes } from '../platform/text-memory.js';
import { AWS_CHUNKED, unchunked, type Unchunked } from './aws-chunks.js';
import { HAS_FIELDS, isReadOtherwise } from './charsets.js';
import { formParts, type FormPart } from './form-parts.js';
import { formBoundary } from './form-type.js';
import { decodeRequest, type DecodingLimits } from './request-coding.js';

/** How much of a long text is written at once. */
const PIECE_CHARS = 128 * 1024;
/** JSON in UTF-16, which some servers read whatever its media type is. */
const WIDE_JSON = /^[\s\0\xfe\xff]*\{/;
/** A text field of a form is described up to this length. */
const DESCRIBED_TEXT_MAX = 1000;

/** How the bytes of a body differ from its content. */
export interface BodyCoding {
  /** The content codings, in the order in which they were applied. */
  names: readonly string[];
  /** Whether the coded bytes say nothing besides the content (`decodeRequest`). */
  isExact: boolean;
  /** The checksums in the frames of `aws-chunked`, which are removed. Null: there were no frames. */
  checksums: Record<string, string> | null;
}

/** The body of a request: the bytes that are sent, and how a reader interprets them. */
export class Payload {
  private read: string | null = null;
  private words: string | null = null;

  private constructor(
    /** Sent byte for byte. */
    readonly bytes: Buffer,
    /** The bytes without their content codings. */
    private readonly content: Buffer,
    /** What the content says, as text without NUL. Null: it is binary. */
    readonly text: string | null,
    private readonly contentType: string,
    /** The parts of a form (`multipart/form-data`). Null: the body is not a form. */
    readonly parts: readonly FormPart[] | null,
    /** Null: the bytes are the content. */
    readonly coding: BodyCoding | null = null,
    /** An earlier version accepted this body, and this one refuses it. It can be shown, but not sent. */
    readonly isRefused = false,
  ) {}

  /** A body of plain text, without headers that say how to read it. */
  static ofText(text: string, bytes: Buffer = Buffer.from(text)): Payload {
    return new Payload(bytes, bytes, text, '', null);
  }

  /**
   * Undoes the content codings, and reads the parts of a form, so that rules, the model and people see what the
   * upstream will read.
   * @param headers those of the request
   * @throws ApiError 400, 413, 415, 429
   */
  static async of(content: string | Buffer, headers: Record<string, string>, limits: DecodingLimits): Promise<Payload> {
    let decodedBytes = 0;
    const charge = (bytes: number): void => limits.charge?.((decodedBytes = bytes));
    const payload = await Payload.readFrom(content, headers, { ...limits, charge });
    // The reader of the bytes has charged them. If one character of the text is beyond Latin-1, the text takes more
    // memory than its bytes, so the difference is charged here.
    limits.charge?.(decodedBytes + Math.max(0, payload.judgedBytes - payload.content.length));
    return payload;
  }

  private static async readFrom(
    content: string | Buffer,
    headers: Record<string, string>,
    limits: DecodingLimits,
  ): Promise<Payload> {
    const type = header(headers, 'content-type');
    const all = parseCodings(header(headers, 'content-encoding'));
    const boundary = formBoundary(type);
    if (isReadOtherwise(type.toLowerCase()))
      throw errors.invalid('Content-Type: the charset of this body must be UTF-8');
    const given = typeof content === 'string' ? await toBytes(content) : content;
    if (typeof content === 'string' && all.length === 0 && boundary === null) return Payload.ofText(content, given);
    const names = all.filter((coding) => coding !== AWS_CHUNKED);
    // Amazon's SDKs put the chunks around whatever other codings there are.
    const frames = names.length === all.length ? null : withoutFrames(given);
    const bytes = frames?.content ?? given;
    const decoded = names.length === 0 ? null : await decodeRequest(bytes, names, limits);
    const coding =
      frames === null && decoded === null
        ? null
        : { names, isExact: decoded?.isExact ?? true, checksums: frames?.checksums ?? null };
    const read = decoded?.content ?? bytes;
    return new Payload(
      bytes,
      read,
      decodeText(read),
      type,
      boundary === null ? null : formParts(read, boundary),
      coding,
    );
  }

  /** A body that was accepted before. If this version refuses it, it is treated as plain bytes. */
  static async ofAccepted(content: string | Buffer, headers: Record<string, string>): Promise<Payload> {
    try {
      return await Payload.of(content, headers, { maxBytes: PROXY_BODY_LARGEST_BYTES });
    } catch {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      return new Payload(bytes, bytes, decodeText(bytes), '', null, null, true);
    }
  }

  /** The same body, sent without its codings. */
  decoded(): Payload {
    return new Payload(this.content, this.content, this.text, this.contentType, this.parts);
  }

  /** The same body without the frames of `aws-chunked`. */
  unframed(): Payload {
    const { names, isExact } = this.coding!;
    const coding = names.length === 0 ? null : { names, isExact, checksums: null };
    return new Payload(this.bytes, this.content, this.text, this.contentType, this.parts, coding);
  }

  /** Whether `text` alone gives the bytes. */
  get isPlain(): boolean {
    return this.text !== null && this.content === this.bytes;
  }

  /** Whether it is sent with a content coding. */
  get isCoded(): boolean {
    return this.content !== this.bytes;
  }

  /** The coded bytes, one character for each: most servers read them first. Null: the body has no coding. */
  get raw(): string | null {
    return this.isCoded ? this.bytes.toString('latin1') : null;
  }

  /** The content that rules read: the text, or each byte of a binary body as one character. */
  get judged(): string {
    return (this.read ??= this.text ?? this.binaryAsText());
  }

  /** The size of a binary body without its codings. Null: it is text. */
  get binaryBytes(): number | null {
    return this.text === null ? this.content.length : null;
  }

  /** The memory that it takes, apart from the fields of a form. */
  get memoryBytes(): number {
    return this.bytes.length + (this.content === this.bytes ? 0 : this.content.length) + this.judgedBytes;
  }

  private get judgedBytes(): number {
    return this.text === null ? this.judged.length : textMemoryBytes(this.text);
  }

  /** The description of a binary body that the model sees. Null: it sees the text. */
  get description(): string | null {
    return this.text === null ? (this.words ??= this.describe()) : null;
  }

  /** What is compared with other requests, however it is coded. */
  get compared(): Buffer {
    return this.content;
  }

  /** SHA-256 hex of the prefix and the bytes. */
  hashedAfter(prefix: string): string {
    return hashBytes(prefix, this.bytes);
  }

  /** SHA-256 hex of the prefix and the content, which is the same however it is coded. */
  contentHashedAfter(prefix: string): string {
    return hashBytes(prefix, this.content);
  }

  /** Whether the body, as it is sent or decoded, passes the test. */
  some(test: (text: string) => boolean): boolean {
    const { raw } = this;
    return test(this.judged) || (raw !== null && test(raw));
  }

  private describe(): string {
    const size = `${this.content.length} bytes, SHA-256 ${hash('sha256', this.content, 'hex')}`;
    if (this.parts === null) return `(a binary body of ${size})`;
    return [`(a form of ${this.parts.length} parts, ${size})`, ...this.parts.map(described)].join('\n');
  }

  /** In UTF-16, every other byte is NUL. Without these, the names in it can be found. */
  private binaryAsText(): string {
    const text = this.content.toString('latin1');
    const mayBeWide = text.includes('\0') && (HAS_FIELDS.test(this.contentType.toLowerCase()) || WIDE_JSON.test(text));
    return mayBeWide ? `${text}\r\n&\r\n${text.replaceAll('\0', '')}` : text;
  }
}

/** All values of a header, in the order given. */
const header = (headers: Record<string, string>, wanted: string): string =>
  Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === wanted)
    .map(([, value]) => value)
    .join(', ');

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decodeText = (bytes: Buffer): string | null => (!bytes.includes(0) && isUtf8(bytes) ? utf8.decode(bytes) : null);

/** Removes the frames. Otherwise an agent could cut its text into chunks so small that nobody can read the text. */
function withoutFrames(bytes: Buffer): Unchunked {
  const found = unchunked(bytes);
  if (found === null) throw errors.invalid(`body: is not valid ${AWS_CHUNKED}, as Content-Encoding says`);
  return found;
}

function hashBytes(prefix: string, bytes: Buffer): string {
  // One call is faster, but a copy of a long body takes longer than what it saves.
  return bytes.length > PIECE_CHARS
    ? createHash('sha256').update(prefix).update(bytes).digest('hex')
    : hash('sha256', Buffer.concat([Buffer.from(prefix), bytes]), 'hex');
}

/**
 * The UTF-8 of a text. A long one is written in pieces, and others are served between them: the first use of new memory
 * can take tens of milliseconds on a virtual machine.
 */
async function toBytes(text: string): Promise<Buffer> {
  if (text.length <= PIECE_CHARS) return Buffer.from(text);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  let written = 0;
  for (let from = 0; from < text.length;) {
    // A character of two UTF-16 units must not be cut.
    const end = from + PIECE_CHARS;
    const to = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
    written += bytes.write(text.slice(from, to), written);
    from = to;
    await nextTurn();
  }
  return bytes;
}

function described({ name, filename, contentType, size, text }: FormPart): string {
  const file = filename === undefined ? '' : `, file ${JSON.stringify(filename)}`;
  const value =
    text === undefined ? '' : `: ${text.length > DESCRIBED_TEXT_MAX ? `${text.slice(0, DESCRIBED_TEXT_MAX)}…` : text}`;
  return `- ${JSON.stringify(name)}${file}, ${contentType}, ${size} bytes${value}`;
}
