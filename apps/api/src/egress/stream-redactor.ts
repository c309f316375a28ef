import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';
import type { ShortSteps } from '../platform/short-steps.js';
import type { Redactor } from './redaction.js';

/** Two line ends in a row, and those that follow. They end an event, and no secret contains them. */
const EVENT_END = /(?:\n\n|\r\n\r\n|\r\r)[\r\n]*/g;
const EMPTY = Buffer.alloc(0);
/** So many ends of events are found in one step, and so many events redacted. */
const ENDS_IN_A_STEP = 1000;
const EVENTS_IN_A_STEP = 4;
/** From this size on, a binary chunk passes without a turn. A stream's buffers hold few of them, so few pass at once. */
const LARGE_BYTES = 4 * 1024;

interface StreamTerms {
  /** The answer says that it is text. Otherwise it counts as text as long as it is UTF-8. */
  isText: boolean;
  /** The answer is a `text/event-stream`. */
  hasEvents: boolean;
  /** No decoder is before it. */
  isAsSent: boolean;
  /** Is called when the answer turns out to be binary. Nothing is searched from then on. */
  onBinary: () => void;
  /** Does the steps of a block, each when it is the agent's turn. The first one may be done at once. */
  work: <Result>(steps: ShortSteps<Result>) => Result | Promise<Result>;
  /** The answer ended too early, so its end may be in the middle of a secret. */
  isBroken: () => boolean;
}

/**
 * Redacts an answer that is passed on as it arrives. It holds back only bytes that may begin a secret, until it is
 * clear whether they do. An event of `text/event-stream` is passed on at its end, without waiting for the next one. See
 * docs/reference/agent-api.md#streams.
 */
export class StreamRedactor extends Transform {
  private held: Buffer = EMPTY;
  private isBinary = false;

  constructor(
    private readonly redactor: Redactor,
    private readonly terms: StreamTerms,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    // Binary chunks are not searched, so a large chunk passes at once. Small chunks take turns, because there can be
    // very many of them. The chunks of a decoder take turns too.
    if (this.isBinary && this.terms.isAsSent && chunk.length >= LARGE_BYTES) return done(null, chunk);
    this.pass(this.redacted(chunk), done);
  }

  override _flush(done: TransformCallback): void {
    if (this.held.length === 0 || this.terms.isBroken()) return done();
    this.pass(this.redactor.redactEnd(this.held), done);
  }

  /** One step is enough for most blocks. They are passed on at once, in the turn in which they were read. */
  private pass(steps: ShortSteps<Buffer | undefined>, done: TransformCallback): void {
    let passed: Buffer | undefined | Promise<Buffer | undefined>;
    try {
      passed = this.terms.work(steps);
    } catch (error) {
      return done(error as Error);
    }
    if (passed instanceof Promise) passed.then((later) => done(null, later), done);
    else done(null, passed);
  }

  /** @returns what may be passed, if there is anything */
  private *redacted(chunk: Buffer): ShortSteps<Buffer | undefined> {
    let block = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    this.held = EMPTY;
    // The first bytes of a character wait for the rest, because the rest alone would look binary.
    const partial = this.terms.isText ? EMPTY : partialCharacter(block);
    if (!this.terms.isText && !this.isBinary && !isUtf8(block.subarray(0, block.length - partial.length))) {
      this.isBinary = true;
      this.terms.onBinary();
    }
    if (this.isBinary) return block;
    block = block.subarray(0, block.length - partial.length);
    const parts: Buffer[] = [];
    if (this.terms.hasEvents) block = yield* this.passEvents(block, parts);
    const [passed, held] = yield* this.redactor.redactBeginning(block);
    // Copied, so that a few bytes don't keep the memory of a whole network read.
    this.held = Buffer.concat([held, partial]);
    if (passed.length > 0) parts.push(passed);
    if (parts.length > 0) return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  /**
   * Redacts each event separately, so that a redaction never joins two. All events of a block are passed in one piece,
   * because each piece costs a write to the agent.
   * @returns the beginning of the next event
   */
  private *passEvents(block: Buffer, passed: Buffer[]): ShortSteps<Buffer> {
    const ends: number[] = [];
    const text = block.toString('latin1');
    for (const { index, 0: end } of text.matchAll(EVENT_END)) {
      if (ends.push(index + end.length) % ENDS_IN_A_STEP === 0) yield;
    }
    if (ends.length === 0) return block;
    const events = block.subarray(0, ends.at(-1));
    if (this.redactor.leavesAlone(events, text, ends)) passed.push(events);
    else {
      for (const [n, end] of ends.entries()) {
        if (n % EVENTS_IN_A_STEP === EVENTS_IN_A_STEP - 1) yield;
        passed.push(yield* this.redactor.redactEnd(events.subarray(n === 0 ? 0 : ends[n - 1], end)));
      }
    }
    return block.subarray(events.length);
  }
}

/** The first bytes of a UTF-8 character that continues in the next chunk. */
function partialCharacter(block: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, block.length); back++) {
    const byte = block[block.length - back];
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return back < length ? block.subarray(block.length - back) : EMPTY;
  }
  return EMPTY;
}
