import { Injectable } from '@nestjs/common';
import type { Answer } from '../egress/answer.js';
import { errorAnswer } from '../egress/error-answer.js';
import type { Claim } from '../idempotency/idempotency-store.js';
import { BackgroundWork } from '../platform/background.js';
import { isDatabaseUnavailable } from '../platform/http/database-unavailable.js';
import { Log } from '../platform/logging.js';
import { ForwardError } from './refusal.js';

/** The right to send one request. */
export interface TimedClaim extends Claim {
  /** By the monotonic clock. Later, the settlement could find the claim before the request has its answer. */
  sendByMs: number;
}

/** A claim on an idempotency key or on an approved action. */
interface OpenClaim {
  claimId: string;
  /** See `isRepeatableRequest`. */
  isRepeatable: () => boolean;
  /** Stores an answer under the claim. */
  complete: (answer: Answer) => Promise<void>;
  /** Frees the key or action, so that it can be claimed again. */
  release: () => Promise<void>;
}

/** Ends claims whose request got no answer. */
@Injectable()
export class Claims {
  constructor(
    private readonly background: BackgroundWork,
    private readonly log: Log,
  ) {}

  /** A request that may have arrived must not be sent again, unless it is repeatable. @throws the error */
  async endUnanswered(claim: OpenClaim, error: unknown): Promise<never> {
    const work = () => this.end(claim, error);
    // If the database is unavailable, another attempt would take as long to fail.
    if (isDatabaseUnavailable(error)) this.background.run('claim ended', work);
    else await work();
    throw error;
  }

  private async end({ claimId, isRepeatable, complete, release }: OpenClaim, error: unknown): Promise<void> {
    try {
      if (error instanceof ForwardError && error.sent && !isRepeatable()) await complete(errorAnswer(error));
      else await release();
    } catch (err) {
      // The claim stays. The settlement ends it like one that a crash has left.
      this.log.warn({ err, record: claimId }, 'claim could not be ended');
    }
  }
}
