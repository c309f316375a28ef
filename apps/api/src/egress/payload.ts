import { hash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { PROXY_BODY_LARGEST_BYTES } from '#contracts/limits';
import { codingsOf, decodeBody, EgressFailure } from '#egress';
import { ApiError, errors } from '../platform/errors.js';
import { inMb } from '../platform/http/body-bytes.js';
import { AWS_CHUNKED, unchunked } from './aws-chunks.js';
import { formBoundary, formParts, type FormPart } from './form-parts.js';

/** Media types whose fields may state a method or an operation. They may be written in UTF-16 too. */
const READ_BY_RULES = /urlencoded|multipart|json|graphql|xml|^$/;
/** A text field of a form is described up to this length. */
const DESCRIBED_TEXT_MAX = 1000;

/** The body of a request: the bytes that are sent, and how a reader interprets them. */
export class Payload {
  private read: string | null = null;
  private words: string | null = null;

  private constructor(
    /** Sent byte for byte. */
    readonly bytes: Buffer,
    /** The bytes without their content codings. */
    private readonly decoded: Buffer,
    /** What the decoded bytes say, as text without NUL. Null: they are binary. */
    readonly text: string | null,
    private readonly contentType: string,
    /** The parts of a form (`multipart/form-data`). Null: the body is not a form. */
    readonly parts: readonly FormPart[] | null,
  ) {}

  /** A body of plain text, without headers that say how to read it. */
  static ofText(text: string): Payload {
    const bytes = Buffer.from(text);
    return new Payload(bytes, bytes, text, '', null);
  }

  /**
   * Undoes the content codings, and reads the parts of a form, so that rules, the model and people see what the
   * upstream will read.
   * @param headers those of the request
   * @param maxBytes also limits the decoded bytes
   * @throws ApiError 400, 413, 415
   */
  static async of(content: string | Buffer, headers: Record<string, string>, maxBytes: number): Promise<Payload> {
    const type = header(headers, 'content-type');
    const all = codingsOf(header(headers, 'content-encoding'));
    const codings = all.filter((coding) => coding !== AWS_CHUNKED);
    const boundary = formBoundary(type);
    if (typeof content === 'string' && all.length === 0 && boundary === null) return Payload.ofText(content);
    const bytes = Buffer.from(content as Buffer);
    // Amazon's SDKs put the chunks around whatever other codings there are.
    const framed = codings.length === all.length ? bytes : withoutFrames(bytes);
    const decoded = codings.length === 0 ? framed : await undone(framed, codings, maxBytes);
    const parts = boundary === null ? null : await formParts(decoded, boundary);
    return new Payload(bytes, decoded, textOf(decoded), type, parts);
  }

  /**
   * A body that was accepted before. If an earlier version accepted a body that this one refuses, it is treated as
   * plain bytes.
   */
  static async ofAccepted(content: string | Buffer, headers: Record<string, string>): Promise<Payload> {
    try {
      return await Payload.of(content, headers, PROXY_BODY_LARGEST_BYTES);
    } catch {
      const bytes = Buffer.from(content as Buffer);
      return new Payload(bytes, bytes, textOf(bytes), '', null);
    }
  }

  /** Whether `text` alone gives the bytes. */
  get isPlain(): boolean {
    return this.text !== null && this.decoded === this.bytes;
  }

  /** The content that rules read: the text, or each byte of a binary body as one character. */
  get judged(): string {
    return (this.read ??= this.text ?? this.binaryAsText());
  }

  /** The description of a binary body that the model sees. Null: it sees the text. */
  get description(): string | null {
    return this.text === null ? (this.words ??= this.describe()) : null;
  }

  /** SHA-256 hex of the prefix and the bytes. */
  hashedAfter(prefix: string): string {
    return hash('sha256', Buffer.concat([Buffer.from(prefix), this.bytes]), 'hex');
  }

  /** Whether the body, as it is sent or decoded, passes the test. */
  some(test: (text: string) => boolean): boolean {
    return test(this.judged) || (this.decoded !== this.bytes && test(this.bytes.toString('latin1')));
  }

  private describe(): string {
    const size = `${this.decoded.length} bytes, SHA-256 ${hash('sha256', this.decoded, 'hex')}`;
    if (this.parts === null) return `(a binary body of ${size})`;
    return [`(a form of ${this.parts.length} parts, ${size})`, ...this.parts.map(described)].join('\n');
  }

  /** In UTF-16, every other byte is NUL. Without these, the names in it can be found. */
  private binaryAsText(): string {
    const text = this.decoded.toString('latin1');
    const mayBeWide = text.includes('\0') && READ_BY_RULES.test(this.contentType.toLowerCase());
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

const textOf = (bytes: Buffer): string | null => (!bytes.includes(0) && isUtf8(bytes) ? utf8.decode(bytes) : null);

/** An agent could cut its text into chunks so small that nobody can read it. */
function withoutFrames(bytes: Buffer): Buffer {
  const found = unchunked(bytes);
  if (found === null) throw errors.invalid(`body: is not valid ${AWS_CHUNKED}, as Content-Encoding says`);
  return found.content;
}

async function undone(bytes: Buffer, codings: string[], maxBytes: number): Promise<Buffer> {
  try {
    return await decodeBody(bytes, codings, maxBytes);
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
    if (error.kind === 'too_large') throw errors.bodyTooLarge(inMb(maxBytes));
    const what = error.reason.replace(/^response /, '');
    const isUnknown = what.includes('unknown');
    if (isUnknown) throw new ApiError(415, 'Content-Encoding must be gzip, deflate or br, or be left out');
    throw errors.invalid(`body: ${what}, as Content-Encoding says`);
  }
}

function described({ name, filename, contentType, size, text }: FormPart): string {
  const file = filename === undefined ? '' : `, file ${JSON.stringify(filename)}`;
  const value =
    text === undefined ? '' : `: ${text.length > DESCRIBED_TEXT_MAX ? `${text.slice(0, DESCRIBED_TEXT_MAX)}…` : text}`;
  return `- ${JSON.stringify(name)}${file}, ${contentType}, ${size} bytes${value}`;
}
