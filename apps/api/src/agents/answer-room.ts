import type { Response } from 'express';
import { UPSTREAM_RESPONSE_MAX_BYTES } from '#contracts/limits';
import type { BodyRoom } from '#egress';
import { errors } from '../platform/errors.js';
import { FREE_BYTES } from '../platform/http/body-budget.js';
import { textMemoryBytes } from '../platform/text-memory.js';

/** A client that reads nothing of its response for this long is considered gone. */
const UNREAD_MS = 60_000;
/** An answer counts this many times its size, because V8 frees the memory of earlier answers late. */
const UNFREED = 2;

/** The bodies that an action or a stored answer may have. */
export interface StoredBodies {
  body?: string | null;
  resultBody?: Buffer | null;
  responseBody?: Buffer | null;
  /** What was made of them. */
  payload?: { memoryBytes: number } | null;
}

const countMemoryBytes = ({ body, resultBody, responseBody, payload }: StoredBodies): number =>
  textMemoryBytes(body ?? '') + (resultBody ?? responseBody ?? '').length + (payload?.memoryBytes ?? 0);

/** Counts what all rooms of an agent take. */
export interface RoomKeeper {
  /** The largest body of one request to an upstream. */
  readonly bodyMaxBytes: number;
  workBegins(): void;
  workEnds(): void;
  /** @returns whether the bytes are charged now. Otherwise they are later, and then `ready` is called */
  reserve(room: AnswerRoom, bytes: number, ready: () => void): boolean;
  /** Charges bytes even if there is no room for them. */
  charge(bytes: number): void;
  free(bytes: number): void;
  /** Marks this many of the charged bytes as perhaps unused. A negative number removes the mark. */
  assume(bytes: number): void;
  /** The room is given up. */
  forget(room: AnswerRoom): void;
}

/**
 * The memory that the answer to one request of an agent takes: from its first byte until it is written, or its
 * connection is closed. It is charged to the agent before it is used (docs/adr/0071-room-for-answers.md).
 */
export class AnswerRoom implements BodyRoom {
  private bytes = 0;
  /** The size of what `reading` has found. It stays in memory until the answer is written. */
  private readBytes = 0;
  /** The part of `bytes` that `reading` has reserved, but perhaps does not need. Null: it reserves nothing now. */
  private assumed: number | null = null;
  private isWorking = false;
  /** Null when the room no longer has to wait for the end of the response. */
  private response: Response | null;

  constructor(
    private readonly keeper: RoomKeeper,
    response: Response,
  ) {
    this.response = response;
  }

  private get isOver(): boolean {
    return this.response === null || this.response.closed;
  }

  /**
   * Runs the work of a request and counts it until it is done, even if the client disconnects.
   * @throws ApiError 400 if the client has disconnected, because the memory of its body is no longer counted then
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOver) throw errors.invalid('The client closed the connection before the work began');
    const { req } = this.response!;
    this.keeper.workBegins();
    this.isWorking = true;
    try {
      return await (req.work = work());
    } finally {
      // The connection keeps this request until the next one arrives on it. The request would keep the result of the
      // work too.
      req.work = undefined;
      this.keeper.workEnds();
      this.isWorking = false;
      if (this.isOver) this.giveUp();
    }
  }

  /**
   * Makes room for an answer of this size beside what was read. The first 64 kB are free.
   * @param ready is called when there is room, if there is none now
   * @returns whether there is room now
   */
  grow(size: number, ready: () => void): boolean {
    const missing = this.missing(size);
    if (missing <= 0) return true;
    if (!this.keeper.reserve(this, missing, ready)) return false;
    this.charged(missing);
    return true;
  }

  /** Waits until there is room for so much. */
  whenRoom(size: number): Promise<void> {
    return new Promise((ready) => void (this.grow(size, ready) && ready()));
  }

  /**
   * Reads an action or a stored answer. Its size is not known before, so this first reserves room for the largest one.
   * The memory that it really needs stays charged until the answer is written.
   */
  async reading<T>(read: () => Promise<T>, pickBodies: (found: T) => StoredBodies | undefined): Promise<T> {
    const most = this.keeper.bodyMaxBytes + UPSTREAM_RESPONSE_MAX_BYTES;
    // A second call also reports the bodies that the first call has read. They must not count twice.
    this.readBytes = 0;
    let size = 0;
    this.assumed = 0;
    try {
      await this.whenRoom(most);
      const found = await read();
      size = countMemoryBytes(pickBodies(found) ?? {});
      return found;
    } finally {
      this.keeper.assume(-this.assumed);
      this.assumed = null;
      this.settle(size);
      this.readBytes = size;
    }
  }

  /** Frees what was needed to make this answer. */
  made(size: number): void {
    this.shrink(UNFREED * size);
  }

  /** Frees the memory that an answer of this size does not need. */
  shrink(size: number): void {
    const spare = Math.min(this.bytes, -this.missing(size));
    if (spare <= 0) return;
    this.bytes -= spare;
    this.keeper.free(spare);
  }

  /**
   * Charges an answer until it is written, whatever its size. Its request was already sent, so it is never refused. It
   * makes the gateway refuse later requests. Call this before writing the response.
   */
  write(size: number): void {
    this.readBytes = 0;
    if (size <= FREE_BYTES || this.isOver) return this.end();
    this.settle(UNFREED * size);
    // On this timeout Node destroys the socket. For the next request on the socket, Node sets its own timeout.
    this.response!.socket?.setTimeout(UNREAD_MS);
  }

  /**
   * For an answer that takes no counted memory. The record of the request refers to this room until the record is
   * settled. It must not keep the whole request in memory too: garbage collection would cost a twentieth of each
   * request.
   */
  private end(): void {
    this.shrink(0);
    this.response = null;
  }

  /** Calls back when the response is over, whatever became of it. */
  whenOver(callBack: () => void): void {
    if (this.isOver) callBack();
    else this.response!.once('close', callBack);
  }

  /** The size is known, and its memory is in use. A text may take more than there was room for. */
  private settle(size: number): void {
    const missing = this.missing(size);
    if (missing <= 0) return this.shrink(size);
    this.keeper.charge(missing);
    this.charged(missing);
  }

  /** How much more an answer of this size takes than is charged. */
  private missing(size: number): number {
    return this.readBytes + size - FREE_BYTES - this.bytes;
  }

  /** The keeper has charged these bytes. */
  charged(bytes: number): void {
    if (this.bytes === 0) this.response?.once('close', this.onClose);
    this.bytes += bytes;
    if (this.assumed !== null) {
      // At once, because other requests arrive before a room that has waited goes on.
      this.assumed += bytes;
      this.keeper.assume(bytes);
    }
    // The room may have been given up while it waited.
    if (this.isOver) this.onClose();
  }

  private readonly onClose = (): void => {
    if (!this.isWorking) this.giveUp();
  };

  private giveUp(): void {
    this.keeper.forget(this);
    this.readBytes = 0;
    this.shrink(0);
  }
}
