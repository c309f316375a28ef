import { Injectable } from '@nestjs/common';
import { AgentDirectory, judgedBy } from '../agents/agent-directory.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { isActionId } from '../approvals/approval-queue.js';
import { AuditLog, type JudgedBy } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import { ApiError, errors } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import type { Around, Exchange, Handle } from './around.js';
import { ForwardError } from './forwarder.js';
import type { ProxyOutcome } from './outcome.js';

const ATTEMPTS = 4;

/**
 * Records every refusal; forwarded and held requests are recorded where they happen, ahead of it. Judges a request again
 * when its agent or service has changed meanwhile, so that neither a yes nor a no of a past configuration leaves.
 */
@Injectable()
export class AuditInterceptor implements Around {
  constructor(
    private readonly audit: AuditLog,
    private readonly agents: AgentDirectory,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async around(exchange: Exchange, handle: Handle): Promise<ProxyOutcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await handle().catch((error: unknown) => this.refused(exchange, error));
      } catch (error) {
        if (!(error instanceof StaleConfiguration)) throw error;
        if (attempt === ATTEMPTS) throw errors.configurationBusy();
        await this.reload(exchange);
      }
    }
  }

  /** @throws 401 when the agent's key works no more; that is recorded too */
  private async reload(exchange: Exchange): Promise<void> {
    const { proxyCall: call } = exchange;
    // What was found by the old view: a record under its versions would be stale again.
    if (call) call.service = call.review = null;
    try {
      exchange.agent = await this.agents.refresh(exchange.agent);
    } catch (error) {
      if (error instanceof ApiError) await this.record(exchange, error, null);
      throw error;
    }
  }

  /** Records the refusal, and goes on with it. */
  private async refused(exchange: Exchange, error: unknown): Promise<never> {
    // An attempt to forward has its record already. An error that is not a refusal of ours is left to the filter.
    if (error instanceof ApiError && !(error instanceof ForwardError) && error.statusCode !== 503) {
      await this.record(exchange, error, judgedBy(exchange.agent, exchange.proxyCall?.service ?? null));
    }
    throw error;
  }

  /** @throws StaleConfiguration */
  private async record(exchange: Exchange, error: ApiError, judged: JudgedBy | null): Promise<void> {
    const { agent, proxyCall: call, requestId } = exchange;
    const state = await this.audit.write(
      {
        id: this.audit.newId(),
        at: this.clock.now(),
        kind: call === undefined ? 'execution' : 'request',
        outcome: 'refused',
        userId: agent.userId,
        requestId,
        agent,
        service: call?.service ?? undefined,
        method: call?.method,
        url: call?.targetUrl ?? exchange.path,
        intent: call?.intent,
        actionId: actionIdOf(exchange),
        riskScore: call?.review?.verdict?.score,
        riskExplanation: call?.review?.verdict?.explanation,
        riskSource: call?.review?.verdict?.source,
        reason: error.message,
        status: error.statusCode,
      },
      judged,
    );
    if (state === 'stale') throw new StaleConfiguration();
    this.log.info(
      { requestId, agent: agent.id, decision: 'refused', reason: error.message, status: error.statusCode },
      'request',
    );
  }
}

/** Of an execution; undefined for what is no id of an action. */
function actionIdOf({ params }: Exchange): string | undefined {
  const { actionId } = params;
  return typeof actionId === 'string' && isActionId(actionId) ? actionId : undefined;
}
