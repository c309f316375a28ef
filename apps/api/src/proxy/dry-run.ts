import { Injectable } from '@nestjs/common';
import type { DryRunResponse } from '#contracts';
import { EgressClient } from '#egress';
import { judgedBy, RequestRecords } from '../approvals/request-records.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { StandingDenials } from '../approvals/standing-denials.js';
import { AuditLog } from '../audit/audit-log.js';
import { RiskConfig } from '../platform/config.js';
import { asHeld } from '../risk/held-score.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import { LimitReader } from '../risk/limits/limit-reader.js';
import type { RiskDecision } from '#contracts/risk';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { Connections, isConnected } from '../connections/connections.js';
import { injectedHeaderNames } from '../credentials/credential-rules.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import { guardAddress } from '../egress/egress-errors.js';
import type { ServiceView } from '../service-view/service-view.js';
import { HoldPreparation } from './hold-preparation.js';
import type { ProxyOutcome } from './outcome.js';
import { Refusal, refuses } from './refusal.js';
import type { ReviewedCall } from './reviewed-call.js';

const NEXT_STEP: Record<RiskDecision, string> = {
  forward: 'Nothing was sent: the same request without "Prefer: handling=dry-run" would be sent immediately.',
  hold: 'Nothing was sent or queued: the same request without "Prefer: handling=dry-run" would wait for a human.',
  deny: 'Nothing was sent: the same request would be refused; stop, and do not try another way.',
};

/**
 * Predicts what would happen to a request, with the checks of a real one. Sends and queues nothing, claims no
 * idempotency key, and uses up no rule and no limit. The dry run is recorded, so that an agent that tries which wording passes
 * leaves a trace. See docs/reference/agent-api.md#dry-run.
 */
@Injectable()
export class DryRun {
  constructor(
    private readonly risk: RiskAssessor,
    private readonly config: RiskConfig,
    private readonly egress: EgressClient,
    private readonly vault: CredentialVault,
    private readonly connections: Connections,
    private readonly preparation: HoldPreparation,
    private readonly denials: StandingDenials,
    private readonly limits: LimitReader,
    private readonly audit: AuditLog,
    private readonly records: RequestRecords,
  ) {}

  /** @throws ApiError the same errors as for the request itself. A rule's denial is a result here, not an error */
  async preview(reviewed: ReviewedCall): Promise<ProxyOutcome> {
    const { agent, call, service } = reviewed;
    const verdict = await this.risk.preview(agent.id, service, reviewed.riskRequest);
    try {
      return { kind: 'previewed', preview: await this.previewed(reviewed, verdict) };
    } catch (error) {
      throw refuses(error) ? new Refusal(error, agent, call, service, verdict) : error;
    }
  }

  private async previewed(reviewed: ReviewedCall, judged: RiskVerdict): Promise<DryRunResponse> {
    const { agent, call, service, url, headers } = reviewed;
    const effects = await this.preparation.effects(reviewed);
    await this.preparation.hash(reviewed);
    const decided =
      judged.decision === 'forward'
        ? await this.denials.unlessDenied(agent.id, judged, reviewed.wholeEqualRequest(judged))
        : judged;
    const verdict = decided.decision === 'hold' ? asHeld(decided, effects) : decided;
    if (verdict.decision !== 'deny') await guardAddress(url, this.egress);
    // Only a request that would be sent now needs usable credentials now.
    if (verdict.decision === 'forward') this.assertSendable(service);
    const summary = await this.preparation.summarize(reviewed);
    await this.record(reviewed, verdict);

    const credentialHeaders = injectedHeaderNames(service);
    const names = [...Object.keys(headers).map((name) => name.toLowerCase()), ...credentialHeaders];
    return {
      decision: verdict.decision,
      executed: false,
      service: { id: service.id, name: service.name },
      summary,
      risk_score: verdict.score,
      risk_explanation: verdict.explanation,
      risk_source: verdict.source,
      risk_threshold: this.config.threshold,
      rule: verdict.rule?.name ?? null,
      effects: [...effects],
      limits: await this.limits.use(agent.id, verdict.limits),
      would_send: { method: call.method, url: url.href, headers: [...new Set(names)].sort() },
      credential_headers: credentialHeaders,
      next: NEXT_STEP[verdict.decision],
    };
  }

  /** @throws ApiError 500, 502 as for the request itself. It renews no token */
  private assertSendable(service: ServiceView): void {
    if (isConnected(service)) {
      this.connections.assertUsable(service);
      // The request itself would get the token first.
      if (!service.credentials.has('access_token')) return;
    }
    this.vault.injection(service);
  }

  /**
   * Writes the record under the versions of the assessment, like the record of a real request. So no answer is based on
   * an outdated configuration.
   */
  private async record({ agent, call, service }: ReviewedCall, verdict: RiskVerdict): Promise<void> {
    const reason = `Would ${verdict.decision}`;
    const record = this.audit.newRecord('previewed', { agent, call, service, risk: verdict, reason, status: 200 });
    const state = await this.records.write(record, judgedBy(agent, service));
    if (state === 'stale') throw new StaleConfiguration();
  }
}
