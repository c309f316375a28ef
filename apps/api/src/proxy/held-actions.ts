import { Injectable } from '@nestjs/common';
import type { ActionEntity } from '#database';
import { AgentDirectory, type AgentView } from '../agents/agent-directory.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { DecisionWaiter } from '../approvals/decision-waiter.js';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { storedAnswer } from '../approvals/stored-answer.js';
import { errors } from '../platform/errors.js';
import { ActionExecutor } from './action-executor.js';
import type { ProxyOutcome } from './outcome.js';
import type { ProxyCall } from './proxy-call.js';

const ATTEMPTS = 3;

/**
 * What an agent gets whose request is held: 428, or, if it waits and the approval comes in time, the answer
 * (docs/reference/agent-api.md#waiting).
 */
@Injectable()
export class HeldActions {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly waiter: DecisionWaiter,
    private readonly executor: ActionExecutor,
    private readonly agents: AgentDirectory,
  ) {}

  async answer(agent: AgentView, call: ProxyCall, action: ActionEntity): Promise<ProxyOutcome> {
    const held = { kind: 'held', waitSeconds: call.waitSeconds } as const;
    if (call.waitSeconds === 0) return { ...held, action };
    call.onHeld?.(action);
    const decided = await this.waiter.decision(action.id, call.waitSeconds, call.gone, () =>
      this.queue.polledBy(agent.id, action.id),
    );
    // A key that was revoked meanwhile is told nothing more, and the service may have left the agent's scope.
    const { services } = await this.agents.latest(agent);
    if (!services.some(({ id }) => id === decided.serviceId)) throw errors.noServiceForTarget();
    const { effectiveStatus: status } = decided;
    if (status === 'EXECUTED') {
      // By another call of the same agent, while this one waited: it must not be told that nothing was sent.
      return { kind: 'answered', answer: storedAnswer(decided), via: 'executed-approved' };
    }
    if (status !== 'APPROVED' || call.gone.aborted) return { ...held, action: decided };
    return this.execute(agent, decided.id, call);
  }

  /** By the agent as it is now: it may have changed during the wait. */
  private async execute(agent: AgentView, actionId: string, call: ProxyCall): Promise<ProxyOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.executor.execute(await this.agents.latest(agent), actionId, call.requestId);
      } catch (error) {
        if (!(error instanceof StaleConfiguration) || attempt >= ATTEMPTS) throw error;
      }
    }
  }
}
