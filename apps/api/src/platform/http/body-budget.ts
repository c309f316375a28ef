import type { ServerResponse } from 'node:http';
import { ApiError } from '../errors.js';

/** So much of each body needs no budget, once it is known who sends it: its socket alone holds as much. */
export const FREE_BYTES = 64 * 1024;
/** Enough to log in, register and refresh; strangers may open any number of sockets. */
const STRANGERS_FREE_BYTES = 4 * 1024;

/** What bodies may take of the memory, from their arrival until their answer has left. */
export interface BodyBudget {
  /** Of each body so much needs no budget. */
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
  new ApiError(503, 'The gateway holds too many large requests at once; try again', {
    headers: { 'Retry-After': '2' },
  });

const MIB = 1024 * 1024;
/** Of requests that have shown who they are. */
const AUTHENTICATED: BodyBudget = new SharedBudget(256 * MIB, FREE_BYTES);
/** Half of what all may take, so that one account leaves room for the others. */
const ACCOUNT_MAX_BYTES = 128 * MIB;
const takenByAccounts = new Map<number, number>();

/** What one account may take of `AUTHENTICATED`, its agents included. */
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

/** Of all others: whoever fills it keeps out large bodies only, and no honest one of theirs is large. */
export const STRANGERS: BodyBudget = new SharedBudget(8 * MIB, STRANGERS_FREE_BYTES);

/** What one body holds of a budget; given back with the end of its answer. */
export class BodyShare {
  private held = 0;

  constructor(
    private readonly budget: BodyBudget,
    private readonly response: ServerResponse,
  ) {}

  /** @param size of the body so far @throws ApiError 429, 503 */
  grow(size: number): void {
    const needed = size - this.budget.freeBytes;
    if (needed <= this.held) return;
    this.budget.take(needed - this.held);
    if (this.held === 0) this.response.once('close', () => this.budget.give(this.held));
    this.held = needed;
  }
}
