import type { Dispatcher } from 'undici';
import { areKnown, BodyCollector, decodeBody, largestDecoded, parseCodings, tooLarge } from './body.js';
import { INTERIMS_MAX } from './continue-filter.js';
import { EgressFailure, failureFrom } from './failure.js';
import { NOBODY, Pace, type Sender } from './pace.js';
import { beginsLike, decoderBytes, ResponseStream, streamDecoders } from './response-stream.js';
import { countNextResponse, type WireCounter } from './wire-bytes.js';

/** The upstream's response. */
export interface EgressResponse {
  /** 200 to 599. */
  status: number;
  /** In the original order and spelling, with duplicates. */
  headers: [string, string][];
  /** The body without its codings, if they are undone. The header `Content-Encoding` is still in `headers`. */
  body: Buffer;
  /** `kept`: the body still has its codings, because nobody can undo them or it is a part of a coded body (206). */
  codings: 'none' | 'undone' | 'kept';
  /**
   * In place of the body, the chain of streams that gives the decoded body as it arrives. The last one is to be read.
   */
  stream: [ResponseStream, ...NodeJS.ReadWriteStream[]] | null;
}

/**
 * A body is copied where it grows or is decoded, and where it is redacted. Each copy counts twice, because V8 frees the
 * memory of earlier ones only when much of it has come together.
 */
const COPIES = 4;
/** A smaller body needs no room. */
const ROOM_MIN = 32 * 1024;
/** Each line costs much more than its bytes, and 64 kB can hold 20,000. */
const HEADER_LINES_MAX = 1000;
/**
 * The limit for all bytes around the body of a response: this many, and a multiple of the body, because a chunk of one
 * byte takes six. Without the limit, the extension of one chunk could go on until the request times out, and undici
 * would read all of it.
 */
const AROUND_BODY_MAX_BYTES = 1024 * 1024;
const AROUND_BODY_MAX_FACTOR = 8;

/** Decides whether a response is passed on as it arrives, or collected. */
export type StreamPolicy = (headers: [string, string][], status: number) => boolean;

/**
 * Handles one request and its response for undici. One timer covers everything from queueing to the last decoded byte.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<EgressResponse>;

  private resolve!: (response: EgressResponse) => void;
  private reject!: (failure: EgressFailure) => void;
  private readonly timer: NodeJS.Timeout;
  private readonly collector: BodyCollector;
  private controller: Dispatcher.DispatchController | null = null;
  private settled = false;
  private readonly counter: WireCounter = { onRead: (bytes) => this.countRead(bytes), socket: null };
  private interims = 0;
  private readBytes = 0;
  private bodyBytes = 0;
  private status = 0;
  private headers: [string, string][] = [];
  private codings: string[] = [];
  private stream: ResponseStream | null = null;
  /** The stream has a reader. A coded stream gets one when its first bytes show whether they can be decoded. */
  private isPassed = false;
  private readonly pace: Pace;
  /** There is room for a body of this size. */
  private roomFor = ROOM_MIN;

  constructor(
    private readonly method: string,
    private readonly maxBytes: number,
    private readonly timeoutMs: number,
    private readonly onSettled: () => void,
    private readonly streams: StreamPolicy | null = null,
    private readonly onStreaming: () => void = () => {},
    sender: Sender = NOBODY,
  ) {
    this.pace = new Pace(sender);
    this.collector = new BodyCollector(maxBytes);
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.timeOut(), timeoutMs);
  }

  /**
   * undici writes the request head right after this returns. Throwing here drops the request without using the socket.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settled) throw new EgressFailure('timeout', false, 'request timed out before it was sent');
    this.controller = controller;
    countNextResponse(this.counter);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.settled) return;
    if (status > 101 && status < 200) {
      this.interims += 1;
      if (this.interims > INTERIMS_MAX) this.fail('too many interim responses');
      return;
    }
    if (status < 200 || status > 599) return this.fail(`response status ${status} is not valid`);
    this.status = status;
    const contentLength = this.readHeaders(controller.rawHeaders as Buffer[]);
    if (this.settled) return;
    // These responses never have a body, even if they declare a length. undici would wait for the body, or reject a 304
    // with a length.
    if (status === 204 || status === 304 || this.method === 'HEAD') return this.complete(Buffer.alloc(0));
    if (this.streams?.(this.headers, status)) return this.beginStream(controller);
    if (contentLength > this.maxBytes) this.abort(tooLarge(this.maxBytes));
    else if (contentLength > 0) {
      if (this.pace.hasRoom) this.collector.expect(contentLength);
      this.makeRoom(controller, contentLength);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    this.bodyBytes += chunk.length;
    if (this.stream !== null) {
      if (!this.isPassed) this.decodeStream(controller, this.stream, chunk);
      return this.stream.feed(chunk);
    }
    if (!this.collector.add(chunk)) return this.abort(tooLarge(this.maxBytes));
    if (this.collector.size > this.roomFor) this.makeRoom(controller, this.collector.size * 2);
    this.pace.count(controller, chunk.length);
  }

  onResponseEnd(): void {
    this.leaveUnread();
    if (this.stream !== null) return this.endStream(null);
    if (this.settled) return;
    const body = this.collector.take();
    if (this.codings.length === 0 || !this.isDecodable) return this.complete(body);
    const largest = Math.min(this.maxBytes, largestDecoded(body.length, this.codings));
    const decode = (): void => this.decode(body);
    if (this.pace.whenRoom(body.length + largest * COPIES, decode)) decode();
  }

  private decode(body: Buffer): void {
    // It may have waited too long for room.
    if (this.settled) return;
    decodeBody(body, this.codings, this.maxBytes).then(
      (decoded) => {
        this.pace.shrink(decoded.length * COPIES);
        this.complete(decoded);
      },
      (error: unknown) => {
        const failure = failureFrom(error, true);
        // The request was carried out, so its answer is worth more than an error.
        if (failure.kind === 'too_large') this.settleWith(failure);
        else this.complete(body, 'kept');
      },
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.stream !== null && this.isPassed) this.endStream(failureFrom(error, true));
    else this.settleWith(failureFrom(error, this.sent));
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    _status: number,
    _headers: unknown,
    socket: { destroy(): void },
  ): void {
    socket.destroy();
    this.settleWith(new EgressFailure('no_answer', true, 'response switches protocols'));
  }

  /**
   * Closes the connection if a part of the request is still unsent. A server may respond in the middle of an upload and
   * read no more. The next request on the connection would wait behind the rest of the upload.
   */
  private leaveUnread(): void {
    const { socket } = this.counter;
    if (socket !== null && socket.writableLength > 0) socket.destroy();
  }

  /** @param bytes with those of the body, or less than zero for what undici puts back */
  private countRead(bytes: number): void {
    this.readBytes += bytes;
    const most = AROUND_BODY_MAX_BYTES + AROUND_BODY_MAX_FACTOR * this.bodyBytes;
    if (this.readBytes > most) this.fail('response has too much around its body');
  }

  private get sent(): boolean {
    return this.controller !== null;
  }

  /** Stores the headers and the codings of the body. Returns the declared length, or -1. */
  private readHeaders(raw: Buffer[]): number {
    let contentLength = -1;
    let contentEncoding = '';
    if (raw.length > 2 * HEADER_LINES_MAX) {
      this.fail('response has too many headers');
      return contentLength;
    }
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i].toString('latin1');
      const value = raw[i + 1].toString('latin1');
      this.headers.push([name, value]);
      const lower = name.toLowerCase();
      if (lower === 'content-length') contentLength = Number(value);
      else if (lower === 'content-encoding') contentEncoding += `,${value}`;
      else if (lower === 'transfer-encoding' && value.toLowerCase() !== 'chunked') {
        this.fail('response has an unknown transfer coding');
      }
    }
    if (contentEncoding !== '') this.codings = parseCodings(contentEncoding);
    return contentLength;
  }

  private complete(body: Buffer, codings = this.expectedCodings): void {
    const { status, headers } = this;
    if (this.settle()) this.resolve({ status, headers, body, codings, stream: null });
  }

  private get expectedCodings(): EgressResponse['codings'] {
    if (this.codings.length === 0) return 'none';
    return this.isDecodable ? 'undone' : 'kept';
  }

  /** A range of a coded whole begins in the middle of the coding. */
  private get isDecodable(): boolean {
    return this.status !== 206 && areKnown(this.codings);
  }

  private beginStream(controller: Dispatcher.DispatchController): void {
    this.stream = new ResponseStream(controller, this.pace.turn);
    if (this.expectedCodings !== 'undone') this.passStream(this.stream);
  }

  /**
   * Passes the stream on decoded if its first bytes show that it can be decoded, as soon as there is room for its
   * decoders. Otherwise passes it on as it came.
   */
  private decodeStream(controller: Dispatcher.DispatchController, body: ResponseStream, begin: Buffer): void {
    const { codings } = this;
    if (!beginsLike(codings.at(-1)!, begin)) return this.passStream(body);
    this.pace.makeRoom(controller, decoderBytes(codings, begin[0]), () => {
      // It may have waited too long.
      if (!this.settled) this.passStream(body, streamDecoders(codings));
    });
  }

  /** From here on, the reader of the stream limits its time and size. */
  private passStream(body: ResponseStream, decoders: NodeJS.ReadWriteStream[] = []): void {
    this.isPassed = true;
    clearTimeout(this.timer);
    const codings = decoders.length > 0 ? 'undone' : this.codings.length > 0 ? 'kept' : 'none';
    const { status, headers } = this;
    this.resolve({ status, headers, body: Buffer.alloc(0), codings, stream: [body, ...decoders] });
    this.onStreaming();
  }

  private endStream(failure: EgressFailure | null): void {
    if (this.stream === null) return;
    if (failure === null && !this.isPassed) this.passStream(this.stream);
    this.stream.finish(failure);
    this.settle();
  }

  /** Ends a stream that is still read, when the gateway stops. */
  breakOff(): void {
    this.stream?.destroy(new EgressFailure('no_answer', true, 'gateway is shutting down'));
  }

  private fail(reason: string): void {
    this.abort(new EgressFailure('no_answer', true, reason));
  }

  /**
   * Settles before it aborts, because undici reports the abort back as an error. Aborting destroys the socket, so that
   * the rest of the response is not read as the next one.
   */
  private abort(failure: EgressFailure): void {
    this.settleWith(failure);
    this.controller?.abort(failure);
  }

  /** Stops reading until there is room for so large a body. */
  private makeRoom(controller: Dispatcher.DispatchController, size: number): void {
    if (size <= this.roomFor) return;
    this.roomFor = Math.min(size, this.maxBytes);
    this.pace.makeRoom(controller, this.roomFor * COPIES);
  }

  /** Ends the exchange as one that took too long. */
  timeOut(): void {
    const why = this.pace.waitsForRoom ? '; other responses that nobody has read took its memory' : '';
    this.abort(new EgressFailure('timeout', this.sent, `no complete response within ${this.timeoutMs / 1000}s${why}`));
  }

  private settleWith(failure: EgressFailure): void {
    if (!this.settle()) return;
    failure.status = this.status === 0 ? null : this.status;
    this.reject(failure);
  }

  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.timer);
    this.counter.onRead = null;
    this.pace.end();
    this.onSettled();
    return true;
  }
}
