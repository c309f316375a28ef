import type { DryRunResponse, RiskSource } from '#contracts';
import type { ActionEntity } from '#database';
import type { Answer } from '../egress/answer.js';
import type { AgentView } from '../agents/agent-directory.js';
import type { ProxyCall } from './proxy-call.js';
import type { StreamedAnswer } from './streamed-answer.js';

/**
 * Why a call ended so, for the metrics: where the verdict about the risk came from, `repeat` for an answer that was
 * there before, `none` for an approved request.
 */
export type OutcomeReason = RiskSource | 'repeat' | 'none';

/** How an agent's call ended, if it was not refused. A held request is an outcome, not an error. */
export type ProxyOutcome =
  /** The upstream answered, now or at an earlier call with the same idempotency key. */
  | { kind: 'answered'; answer: Answer; via: 'forwarded' | 'executed-approved'; reason: OutcomeReason }
  /** The upstream answers, and its answer is passed on as it arrives, with these headers. */
  | { kind: 'streamed'; answer: StreamedAnswer; headers: Answer['headers']; via: 'forwarded'; reason: OutcomeReason }
  /** `waitSeconds`: how long the call waits for the decision at most. */
  | { kind: 'held'; action: ActionEntity; waitSeconds: number }
  /** A dry run: nothing was sent or queued. */
  | { kind: 'previewed'; preview: DryRunResponse };

/** A request that was queued now, or by an earlier call with its key. The pipeline answers it with 428 or waits. */
export interface Queued {
  kind: 'queued';
  agent: AgentView;
  call: ProxyCall;
  action: ActionEntity;
}

/** A held request that was approved while its agent waited, and that the pipeline executes now. */
export interface Approved {
  kind: 'approved';
  /** As it is after the wait. */
  agent: AgentView;
  actionId: string;
}
