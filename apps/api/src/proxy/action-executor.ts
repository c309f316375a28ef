import { Injectable } from '@nestjs/common';
import type { ActionEntity } from '#database';
import { EgressClient } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { isRepeatable } from '../egress/repeatable.js';
import { errorAnswer } from '../egress/error-answer.js';
import { ExecutionClaims } from '../approvals/execution-claims.js';
import { BackgroundWork } from '../platform/background.js';
import { EgressConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { isDatabaseAway } from '../platform/http/database-away.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import { guardAddress, guardTarget } from '../egress/egress-errors.js';
import { ForwardError, Forwarder } from './forwarder.js';
import type { ProxyOutcome } from './outcome.js';
import { assertBelongsTo } from './service-resolution.js';

/** Executes an approved action, once: checks it against what holds now, claims it, sends it, stores what came. */
@Injectable()
export class ActionExecutor {
  constructor(
    private readonly claims: ExecutionClaims,
    private readonly forwarder: Forwarder,
    private readonly egress: EgressClient,
    private readonly risk: RiskAssessor,
    private readonly config: EgressConfig,
    private readonly background: BackgroundWork,
  ) {}

  /** @param agent as it is in the database now, not from the cache */
  async execute(agent: AgentView, actionId: string, requestId: string): Promise<ProxyOutcome> {
    const action = await this.claims.executable(agent.id, actionId);
    if (action.serviceId === null) throw errors.serviceGone();
    const service = agent.services.find(({ id }) => id === action.serviceId);
    if (service === undefined) throw errors.noAccessToService();
    const url = guardTarget(action.targetUrl, service, this.config);
    // The agent's services may be other ones than when it was approved.
    assertBelongsTo(agent, action.targetUrl, service);
    await guardAddress(url, this.egress);

    // A rule that was made after the approval stops it too.
    const { headers, method, targetUrl, body, intent } = action;
    const denial = this.risk.denial(agent.id, service, { method, targetUrl, headers, body, intent });
    if (denial !== null) throw errors.deniedByRule(denial.name);

    const claimId = await this.claims.claim(action);
    const answer = await this.forwarder
      .forward({
        kind: 'execution',
        recordId: claimId,
        recorded: false,
        agent,
        service,
        method: action.method,
        targetUrl: action.targetUrl,
        url,
        headers: action.headers,
        body: action.body,
        intent: action.intent,
        risk: { score: action.riskScore, explanation: action.riskExplanation, source: action.riskSource },
        actionId: action.id,
        requestId,
      })
      .catch(async (error: unknown) => {
        const giveBack = () => this.giveBack(action, claimId, error);
        // A database that is away would take its time to say so once more.
        if (isDatabaseAway(error)) this.background.run('execution claim given back', giveBack);
        else await giveBack();
        throw error;
      });
    // If the database does not take it, the claim stays, and is settled by the rule for a crash: the request was sent.
    await this.claims.complete(action.id, claimId, answer);
    return { kind: 'answered', answer, via: 'executed-approved' };
  }

  /** What may have been sent must not be sent again, unless that does no harm. */
  private async giveBack({ id, method }: ActionEntity, claimId: string, error: unknown): Promise<void> {
    if (error instanceof ForwardError && error.sent && !isRepeatable(method)) {
      await this.claims.complete(id, claimId, errorAnswer(error));
    } else {
      await this.claims.release(id, claimId);
    }
  }
}
