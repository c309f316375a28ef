import { Injectable } from '@nestjs/common';
import type { ActionEntity } from '#database';
import { AgentDirectory, type AgentView } from '../agents/agent-directory.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { DecisionWaiter } from '../approvals/decision-waiter.js';
import { effectiveStatus } from '../approvals/action-state.js';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { storedAnswer } from '../approvals/stored-response.js';
import { Clock } from '../platform/clock.js';
import { ActionExecutor } from './action-executor.js';
import type { ProxyOutcome } from './outcome.js';
import type { ProxyCall } from './proxy-call.js';

const ATTEMPTS = 3;

/** What an agent gets whose request is held: 428, or, if it waits and the approval comes in time, the answer (contract 5). */
@Injectable()
export class HeldActions {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly waiter: DecisionWaiter,
    private readonly executor: ActionExecutor,
    private readonly agents: AgentDirectory,
    private readonly clock: Clock,
  ) {}

  async answer(agent: AgentView, call: ProxyCall, action: ActionEntity): Promise<ProxyOutcome> {
    const held = { kind: 'held', waitSeconds: call.waitSeconds } as const;
    if (call.waitSeconds === 0) return { ...held, action };
    call.onHeld?.(action);
    const decided = await this.waiter.decision(action.id, call.waitSeconds, call.gone, () =>
      this.queue.polledBy(agent.id, action.id),
    );
    const status = effectiveStatus(decided, this.clock.nowMs());
    if (status === 'EXECUTED') {
      // By another call of the same agent, while this one waited: it must not be told that nothing was sent.
      return { kind: 'answered', answer: storedAnswer(decided), via: 'executed-approved' };
    }
    if (status !== 'APPROVED' || call.gone.aborted) return { ...held, action: decided };
    return this.execute(agent, decided.id, call);
  }

  /** What was in force when the wait began need not be now. */
  private async execute(agent: AgentView, actionId: string, call: ProxyCall): Promise<ProxyOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.executor.execute(await this.agents.refresh(agent), actionId, call.requestId);
      } catch (error) {
        if (!(error instanceof StaleConfiguration) || attempt >= ATTEMPTS) throw error;
      }
    }
  }
}
