import type { Response } from 'express';
import { ApiError } from '../errors.js';

/** This much of each body of an authenticated sender needs no budget. Its socket alone uses as much memory. */
export const FREE_BYTES = 64 * 1024;
/**
 * Enough to log in, register and refresh. It is small because unauthenticated clients can open any number of sockets.
 */
const UNAUTHENTICATED_FREE_BYTES = 4 * 1024;

declare module 'express-serve-static-core' {
  interface Request {
    /**
     * Pending while the body is read and the request is worked on. The body is in memory until then, even if the client
     * is gone.
     */
    work?: Promise<unknown>;
  }
}

/** Limits the memory that bodies use, from their arrival until their response is written. */
export interface BodyBudget {
  /** The first bytes of each body, which don't count toward the budget. */
  readonly freeBytes: number;
  /** The sender whose bodies it limits, if each sender has a budget of its own. */
  readonly sender?: string;
  /** Limits of a JSON body that are tighter than usual. */
  readonly json?: { values: number; nonBlankBytes: number };
  /** The mean size of many pieces, where it must be larger than usual. */
  readonly pieceBytes?: number;
  /** @throws ApiError 429, 503 */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** A limit over all requests of the process. */
class SharedBudget implements BodyBudget {
  private taken = 0;

  constructor(
    private readonly maxBytes: number,
    readonly freeBytes: number,
    readonly json?: BodyBudget['json'],
    readonly pieceBytes?: number,
  ) {}

  take(bytes: number): void {
    if (this.taken + bytes > this.maxBytes) throw tooMuchAtOnce();
    this.taken += bytes;
  }

  give(bytes: number): void {
    this.taken -= bytes;
  }
}

const tooMuchAtOnce = (): ApiError =>
  new ApiError(503, 'Too many large requests are in progress; try again', {
    headers: { 'Retry-After': '2' },
  });

const MIB = 1024 * 1024;
/** For all authenticated requests together. */
const AUTHENTICATED: BodyBudget = new SharedBudget(256 * MIB, FREE_BYTES);
/** Half of the total, so that one person leaves room for the others. */
const PERSON_MAX_BYTES = 128 * MIB;
const takenBySenders = new Map<string, number>();

/** The share of `AUTHENTICATED` that one person and the agents that this person has made may use, in all workspaces. */
export const personBudget = (userId: number): BodyBudget => senderBudget(`person ${userId}`);

/** The share of an agent whose maker's account was deleted. */
export const orphanBudget = (agentId: number): BodyBudget => senderBudget(`agent ${agentId}`);

const senderBudget = (sender: string): BodyBudget => ({
  freeBytes: FREE_BYTES,
  sender,
  take(bytes) {
    const taken = (takenBySenders.get(sender) ?? 0) + bytes;
    if (taken > PERSON_MAX_BYTES) throw tooMuchAtOnce();
    AUTHENTICATED.take(bytes);
    takenBySenders.set(sender, taken);
  },
  give(bytes) {
    AUTHENTICATED.give(bytes);
    const left = (takenBySenders.get(sender) ?? 0) - bytes;
    if (left > 0) takenBySenders.set(sender, left);
    else takenBySenders.delete(sender);
  },
});

/**
 * What the endpoints read without a credential has at most two dozen fields of a few kB. To create and validate more
 * would cost more processor time than a stranger may ask for. White space may fill the rest of the body.
 */
const UNAUTHENTICATED_JSON = { values: 200, nonBlankBytes: 64 * 1024 };
/** Node creates an object for each piece, which costs about as much as to read 10 kB in one piece. */
const UNAUTHENTICATED_PIECE_BYTES = 1024;

/**
 * For all unauthenticated requests. An attacker who fills it only blocks large bodies, and legitimate ones are small
 * here.
 */
export const UNAUTHENTICATED: BodyBudget = new SharedBudget(
  8 * MIB,
  UNAUTHENTICATED_FREE_BYTES,
  UNAUTHENTICATED_JSON,
  UNAUTHENTICATED_PIECE_BYTES,
);

/** The share of a budget that one body uses. It is released when the response has ended and the work is done. */
export class BodyShare {
  private held = 0;
  private isWatched = false;

  constructor(
    private readonly budget: BodyBudget,
    private readonly response: Response,
  ) {}

  /** @param size what the body takes now @throws ApiError 429, 503 */
  resize(size: number): void {
    const needed = Math.max(0, size - this.budget.freeBytes);
    if (needed > this.held) this.budget.take(needed - this.held);
    if (needed < this.held) this.budget.give(this.held - needed);
    this.held = needed;
    if (needed === 0 || this.isWatched) return;
    this.isWatched = true;
    // If the client has hung up, `close` does not fire again.
    if (this.response.closed) void this.release();
    else this.response.once('close', () => void this.release());
  }

  private async release(): Promise<void> {
    await Promise.allSettled([this.response.req.work]);
    this.budget.give(this.held);
  }
}

/** Charges what a body takes when its coding is undone, until the response ends. */
export function charging(budget: BodyBudget, response: Response): (size: number) => void {
  let share: BodyShare | undefined;
  return (size) => {
    if (share !== undefined || size > budget.freeBytes) (share ??= new BodyShare(budget, response)).resize(size);
  };
}
