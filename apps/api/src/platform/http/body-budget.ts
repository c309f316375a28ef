import type { ServerResponse } from 'node:http';
import { ApiError } from '../errors.js';

/** This much of each body of an authenticated sender needs no budget. Its socket alone uses as much memory. */
export const FREE_BYTES = 64 * 1024;
/**
 * Enough to log in, register and refresh. It is small because unauthenticated clients can open any number of sockets.
 */
const STRANGERS_FREE_BYTES = 4 * 1024;

/** Limits the memory that bodies use, from their arrival until their response is written. */
export interface BodyBudget {
  /** The first bytes of each body, which don't count toward the budget. */
  readonly freeBytes: number;
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
/** Half of the total, so that one account leaves room for the others. */
const ACCOUNT_MAX_BYTES = 128 * MIB;
const takenByAccounts = new Map<number, number>();

/** The share of `AUTHENTICATED` that one account and its agents may use. */
export const accountBudget = (userId: number): BodyBudget => ({
  freeBytes: FREE_BYTES,
  take(bytes) {
    const taken = (takenByAccounts.get(userId) ?? 0) + bytes;
    if (taken > ACCOUNT_MAX_BYTES) throw tooMuchAtOnce();
    AUTHENTICATED.take(bytes);
    takenByAccounts.set(userId, taken);
  },
  give(bytes) {
    AUTHENTICATED.give(bytes);
    const left = (takenByAccounts.get(userId) ?? 0) - bytes;
    if (left > 0) takenByAccounts.set(userId, left);
    else takenByAccounts.delete(userId);
  },
});

/**
 * For all unauthenticated requests. An attacker who fills it only blocks large bodies, and legitimate ones are small
 * here.
 */
export const STRANGERS: BodyBudget = new SharedBudget(8 * MIB, STRANGERS_FREE_BYTES);

/** The share of a budget that one body uses. It is released when the response ends. */
export class BodyShare {
  private held = 0;

  constructor(
    private readonly budget: BodyBudget,
    private readonly response: ServerResponse,
  ) {}

  /** @param size the size of the body so far @throws ApiError 429, 503 */
  grow(size: number): void {
    const needed = size - this.budget.freeBytes;
    if (needed <= this.held) return;
    this.budget.take(needed - this.held);
    if (this.held === 0) this.response.once('close', () => this.budget.give(this.held));
    this.held = needed;
  }
}
