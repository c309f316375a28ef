import { Injectable } from '@nestjs/common';
import type { ActionEntity } from '#database';
import { AgentDirectory, type AgentView } from '../agents/agent-directory.js';
import { DecisionWaiter } from '../approvals/decision-waiter.js';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { storedAnswer } from '../approvals/stored-answer.js';
import { ApiError, errors } from '../platform/errors.js';
import type { Approved, ProxyOutcome, Queued } from './outcome.js';
import type { ProxyCall } from './proxy-call.js';
import type { Refusable } from './refusals.js';

/** The facts that the record of a refusal contains, if the wait for a decision ends with one. */
export const waitingFor = ({ call, action }: Queued, agent: AgentView): Refusable => ({
  agent,
  call,
  service: agent.services.find(({ id }) => id === action.serviceId) ?? null,
  verdict: null,
});

/** Why an action that was approved a moment ago is not executed, if the call can still be answered. */
const CHANGES: ReadonlySet<string> = new Set(['action_executed', 'action_pending']);

/**
 * Answers a held request with 428. If the agent waits and the approval comes in time, the pipeline executes the action
 * instead (docs/reference/agent-api.md#waiting).
 */
@Injectable()
export class HeldActions {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly waiter: DecisionWaiter,
    private readonly agents: AgentDirectory,
  ) {}

  async answer(agent: AgentView, call: ProxyCall, action: ActionEntity): Promise<ProxyOutcome | Approved> {
    const held = { kind: 'held', waitSeconds: call.waitSeconds } as const;
    if (call.waitSeconds === 0) return { ...held, action };
    call.onHeld?.(action);
    const gone = call.gone();
    const decided = await this.waiter.decision(action.id, call.waitSeconds, gone, () =>
      this.queue.polledBy(agent.id, action.id, call.room),
    );
    // The key may be revoked by now, and the service may have left the agent's scope.
    const latest = await this.agents.latest(agent);
    const service = latest.services.find(({ id }) => id === decided.serviceId);
    if (service === undefined) throw errors.noServiceForTarget();
    const paused = latest.paused ?? service.paused;
    const { agentStatus: status } = decided;
    if (status === 'EXECUTED') {
      if (paused !== null) throw errors.paused(paused);
      // Another call of the same agent executed it during this wait. The 428 would say that nothing was sent.
      return { kind: 'answered', answer: storedAnswer(decided), via: 'executed-approved', reason: 'repeat' };
    }
    // A revision differs from the request of the agent, so the agent decides whether to send it.
    if (status !== 'APPROVED' || decided.revises !== null || gone.aborted) return { ...held, action: decided };
    return { kind: 'approved', agent: latest, actionId: decided.id };
  }

  /**
   * Since the wait ended, another call of the agent may have executed the action: both then get the same answer. Or the
   * approval was taken back: then the action is held as before.
   */
  async changedMeanwhile(
    error: unknown,
    agent: AgentView,
    actionId: string,
    { room, waitSeconds }: ProxyCall,
  ): Promise<ProxyOutcome> {
    if (!(error instanceof ApiError) || !CHANGES.has(error.code)) throw error;
    const action = await this.queue.ofAgent(agent.id, actionId, room);
    if (error.code === 'action_pending') return { kind: 'held', waitSeconds, action };
    return { kind: 'answered', answer: storedAnswer(action), via: 'executed-approved', reason: 'repeat' };
  }
}
