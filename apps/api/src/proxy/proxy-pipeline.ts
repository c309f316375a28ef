import { Injectable } from '@nestjs/common';
import type { AgentView } from '../agents/agent-directory.js';
import type { AnswerRoom } from '../agents/answer-room.js';
import { ActionExecutor } from './action-executor.js';
import { toExecution } from './execution.js';
import { HeldActions, waitingFor } from './held-actions.js';
import { OncePerKey } from './once-per-key.js';
import type { ProxyOutcome } from './outcome.js';
import type { ProxyCall } from './proxy-call.js';
import { Refusals } from './refusals.js';
import { RequestDecision } from './request-decision.js';
import { RequestReviewer } from './request-reviewer.js';

/**
 * The path of a request, in order. `POST /proxy`, `/s/<service>/…` and `/mcp` send through it; `POST
 * /proxy/execute/:actionId` and `/mcp` execute through it. A door only turns the request that it received into a call,
 * and the outcome into a response.
 */
@Injectable()
export class ProxyPipeline {
  constructor(
    private readonly refusals: Refusals,
    private readonly reviewer: RequestReviewer,
    private readonly idempotency: OncePerKey,
    private readonly decision: RequestDecision,
    private readonly heldActions: HeldActions,
    private readonly executor: ActionExecutor,
  ) {}

  /**
   * 1. `refusals` records each refusal, and starts again when the configuration has changed.
   * 2. `reviewer` reads the call under the configuration: service, target, headers, a verdict that needs no model.
   * 3. `idempotency` claims the key, or answers from its record: one key, one upstream request.
   * 4. `decision` forwards, holds or denies.
   * 5. `heldActions` answers a held request with 428, or waits for its decision. What is approved in time is executed.
   *    By then, the request is in the queue: if the configuration changes now, the request is not decided again.
   * @param callFor the call as the door reads it under a configuration
   * @throws ApiError
   */
  async send(agent: AgentView, callFor: (agent: AgentView) => ProxyCall, requestId: string): Promise<ProxyOutcome> {
    const decided = await this.refusals.recorded(
      agent,
      (current) => this.reviewer.review(current, callFor(current)),
      (reviewed) => this.idempotency.once(reviewed, (claim) => this.decision.decide(reviewed, claim)),
    );
    if (decided.kind !== 'queued') return decided;
    const outcome = await this.refusals.recorded(
      decided.agent,
      (current) => waitingFor(decided, current),
      (waiting) => this.heldActions.answer(waiting.agent, decided.call, decided.action),
    );
    if (outcome.kind !== 'approved') return outcome;
    const { actionId } = outcome;
    return this.refusals.recorded(
      outcome.agent,
      (current) => toExecution(current, actionId, requestId),
      ({ agent: current }) =>
        this.executor
          .execute(current, actionId, requestId, decided.call.room)
          .catch((error: unknown) => this.heldActions.changedMeanwhile(error, current, actionId, decided.call)),
    );
  }

  /** Executes an approved action. @param agent as it is in the database now @throws ApiError */
  execute(agent: AgentView, actionId: string, requestId: string, room: AnswerRoom): Promise<ProxyOutcome> {
    return this.refusals.recorded(
      agent,
      (current) => toExecution(current, actionId, requestId),
      (execution) => this.executor.execute(execution.agent, actionId, requestId, room),
    );
  }
}
