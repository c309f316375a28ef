import { Injectable } from '@nestjs/common';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { LimitReached } from '../risk/limits/limit-reached.js';
import { reachedLimit } from '../risk/limits/limit-to-count.js';
import { RequestFactsReader } from '../risk/request-facts-reader.js';
import { Metrics } from '../observability/metrics.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { RuleMatches } from '../rules/rule-matches.js';
import { toDenialError } from '../risk/rule-verdict.js';
import type { TimedClaim } from './claims.js';
import { DryRun } from './dry-run.js';
import type { Departure } from './departure.js';
import { Forwarder, StandingDenial } from './forwarder.js';
import { HoldPreparation } from './hold-preparation.js';
import { IdempotencyStore } from '../idempotency/idempotency-store.js';
import type { ProxyOutcome, Queued } from './outcome.js';
import { Refusal, refuses } from './refusal.js';
import type { ReviewedCall } from './reviewed-call.js';
import { StreamedAnswer } from './streamed-answer.js';

/** Decides whether a reviewed call is forwarded, held or denied. */
@Injectable()
export class RequestDecision {
  constructor(
    private readonly risk: RiskAssessor,
    private readonly facts: RequestFactsReader,
    private readonly forwarder: Forwarder,
    private readonly queue: ApprovalQueue,
    private readonly keys: IdempotencyStore,
    private readonly preparation: HoldPreparation,
    private readonly dryRun: DryRun,
    private readonly matches: RuleMatches,
    private readonly metrics: Metrics,
  ) {}

  async decide(reviewed: ReviewedCall | Refusal, claim: TimedClaim): Promise<ProxyOutcome | Queued> {
    if (reviewed instanceof Refusal) throw reviewed;
    if (reviewed.call.dryRun) return this.dryRun.preview(reviewed);
    const { agent, call, service } = reviewed;
    const verdict =
      reviewed.verdict ??
      (await this.metrics.step('risk', () => this.risk.assess(agent.id, service, reviewed.riskRequest)));
    this.matches.note(matchedIds(verdict));
    if (verdict.reached !== undefined) this.metrics.limitReached(verdict.reached.limit.then);
    try {
      switch (verdict.decision) {
        case 'deny':
          throw toDenialError(verdict);
        case 'hold':
          return await this.hold(reviewed, verdict, claim);
        case 'forward':
          // A person's denial stays in force, whatever the score of the same request is now.
          return (await this.forward(reviewed, verdict, claim)) ?? (await this.hold(reviewed, verdict, claim));
      }
    } catch (error) {
      throw refuses(error) && !(error instanceof Refusal) ? new Refusal(error, agent, call, service, verdict) : error;
    }
  }

  /**
   * A request that does not fit into a limit is held, if the limit says so.
   * @returns null if a person denied an equal request, or one waits for a decision: nothing was sent
   */
  private async forward(
    reviewed: ReviewedCall,
    risk: RiskVerdict,
    claim: TimedClaim,
  ): Promise<ProxyOutcome | Queued | null> {
    const { agent, call, service, url, headers } = reviewed;
    const { method, targetUrl, body, intent, requestId, room } = call;
    const departure: Departure = {
      kind: 'request',
      claimId: claim.claimId,
      recorded: claim.recorded,
      sendByMs: claim.sendByMs,
      agent,
      service,
      method,
      targetUrl,
      url,
      headers,
      body,
      intent,
      risk,
      requestId,
      room,
      streaming: call.streaming ?? 'none',
      limits: risk.limits,
      counted: claim.recorded ? (claim.limits ?? []) : null,
      equal: reviewed.equalRequest(risk),
      wholeEqual: async () => {
        await this.preparation.hash(reviewed);
        return reviewed.wholeEqualRequest(risk);
      },
    };
    try {
      const reached = claim.recorded ? null : reachedLimit(claim.limits ?? []);
      if (reached !== null) {
        this.metrics.limitReached(reached.limit.then);
        throw new LimitReached(reached);
      }
      const answer = await this.forwarder.open(departure);
      this.facts.sent(agent.id, service, reviewed.riskRequest);
      if (answer instanceof StreamedAnswer) {
        return { kind: 'streamed', answer, headers: answer.headers, via: 'forwarded', reason: risk.source };
      }
      return { kind: 'answered', answer, via: 'forwarded', reason: risk.source };
    } catch (error) {
      if (error instanceof StandingDenial) return null;
      if (!(error instanceof LimitReached)) throw error;
      const limited = await this.risk.limited(agent.id, service, reviewed.riskRequest, risk, error.reached);
      if (limited.decision === 'deny') throw new Refusal(error, agent, call, service, limited);
      return this.hold(reviewed, limited, claim);
    }
  }

  private async hold(
    reviewed: ReviewedCall,
    verdict: RiskVerdict,
    { claimId }: TimedClaim,
  ): Promise<ProxyOutcome | Queued> {
    const { agent, call, service } = reviewed;
    const { idempotencyKey: key } = call;
    const action = await this.queue.hold(
      await this.preparation.toHold(reviewed, verdict, key === null && !call.separate),
      key === null
        ? undefined
        : (tx, actionId) => this.keys.bind(tx, { agentId: agent.id, key, claimId, serviceId: service.id }, actionId),
    );
    return { kind: 'queued', agent, call, action };
  }
}

const matchedIds = ({ matchedRules, observed = [] }: RiskVerdict): number[] => [
  ...matchedRules.map(({ id }) => id),
  ...observed.map(({ ruleId }) => ruleId),
];
