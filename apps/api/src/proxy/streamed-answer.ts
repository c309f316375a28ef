import { pipeline, Transform, type TransformCallback } from 'node:stream';
import type { Response } from 'express';
import { BodyCollector, EgressFailure, type ResponseStream } from '#egress';
import type { Answer } from '../egress/answer.js';
import type { BodyShare } from '../platform/http/body-budget.js';

/** How a stream ended. */
export interface StreamEnd {
  /** Bytes that were passed on. */
  bytes: number;
  /** Why the stream ended early. Null: it is complete. */
  error: string | null;
  /** A complete answer that was kept for its idempotency key. Null: it was not kept. */
  kept: Answer | null;
}

interface StreamLimits {
  maxBytes: number;
  maxSeconds: number;
  /** A larger answer is not kept for its key. */
  maxKeptBytes: number;
}

const HUNG_UP = 'the agent closed the connection before the end';

/** The gateway ends a stream. */
class StreamCut extends Error {}

/**
 * An answer that is passed on as it arrives (docs/reference/agent-api.md#streams). Each part of the chain waits for the
 * next one, so a slow reader slows the upstream down.
 */
export class StreamedAnswer {
  readonly ended: Promise<StreamEnd>;
  private settle!: (end: StreamEnd) => void;
  private collector: BodyCollector | null = null;
  private bytes = 0;
  private response: Response | null = null;
  private stored: Promise<void> | null = null;

  /** @param chain the streams that give the body, the last one redacted */
  constructor(
    readonly status: number,
    readonly headers: Answer['headers'],
    private readonly chain: [ResponseStream, ...NodeJS.ReadWriteStream[]],
    private readonly limits: StreamLimits,
    /** See `Answer`. */
    readonly own: Answer['headers'] = [],
  ) {
    this.ended = new Promise((resolve) => (this.settle = resolve));
  }

  /**
   * Keeps a copy of the answer for its idempotency key, as long as it is small enough. Call this before `passTo`.
   * @param stored until then the copy takes memory
   */
  keep(stored: Promise<void>): void {
    this.stored = stored;
    this.collector = new BodyCollector(this.limits.maxKeptBytes);
  }

  /** Passes the body on. If it ends too early, the connection is closed without the final chunk. */
  passTo(response: Response, share: BodyShare): void {
    // A pipeline to a closed response throws in newer versions of Node, and leaves the streams open.
    if (response.closed) return this.cut(HUNG_UP);
    const { maxSeconds } = this.limits;
    this.response = response;
    if (this.stored !== null) response.req.work = this.stored;
    const timer = setTimeout(() => this.cut(`the stream lasted longer than ${maxSeconds} s`), maxSeconds * 1000);
    pipeline([...(this.chain as NodeJS.ReadWriteStream[]), this.meter(share), response], (error) => {
      clearTimeout(timer);
      const body = error ? undefined : this.collector?.take();
      const kept = body && { fromUpstream: true, status: this.status, headers: this.headers, body };
      // A compressed response that broke off can't be decompressed either.
      const reason = error && failureReason(error instanceof StreamCut ? error : (this.chain[0].failure ?? error));
      this.settle({ bytes: this.bytes, error: reason ?? null, kept: kept ?? null });
    });
  }

  /**
   * How many bytes were written, if the agent has to read before more are written. Null: the stream does not wait for
   * the agent.
   */
  get unreadAt(): number | null {
    const { response } = this;
    return response?.writableNeedDrain ? (response.socket?.bytesWritten ?? 0) : null;
  }

  /** The response is over. If its door has failed, nobody passes the stream on. */
  responseIsOver(): void {
    if (this.response === null) this.cut('the response ended before the stream began');
  }

  /** Ends the stream now. */
  cut(reason: string): void {
    if (this.response === null) {
      // Nobody handles its errors yet.
      this.chain[0].on('error', () => {});
      this.settle({ bytes: 0, error: reason, kept: null });
    }
    this.chain[0].destroy(new StreamCut(reason));
  }

  /** Counts the bytes that pass, and copies them for the key. */
  private meter(share: BodyShare): Transform {
    const { maxBytes } = this.limits;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
        this.bytes += chunk.length;
        if (this.bytes > maxBytes) return done(new StreamCut(`the stream is larger than ${maxBytes} bytes`));
        if (this.collector !== null && !this.copied(chunk, share)) this.collector = null;
        done(null, chunk);
      },
      // What arrived before the response broke off is passed on.
      flush: (done: TransformCallback) => done(this.chain[0].failure),
    });
  }

  /** False: the answer is too large to be kept, or this agent uses too much memory. */
  private copied(chunk: Buffer, share: BodyShare): boolean {
    try {
      share.resize(this.bytes);
    } catch {
      return false;
    }
    return this.collector!.add(chunk);
  }
}

function failureReason(error: NodeJS.ErrnoException): string {
  if (error instanceof StreamCut) return error.message;
  if (error instanceof EgressFailure) return error.reason;
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return HUNG_UP;
  return error.code?.startsWith('Z_') ? 'the response is not validly compressed' : 'the stream broke off';
}
