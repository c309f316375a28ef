import { Injectable } from '@nestjs/common';
import { AgentDirectory, type AgentView } from '../agents/agent-directory.js';
import { isStale, StaleConfiguration } from '../agents/stale-configuration.js';
import { judgedBy, RequestRecords, type JudgedBy } from '../approvals/request-records.js';
import { AuditLog } from '../audit/audit-log.js';
import { Metrics } from '../observability/metrics.js';
import type { ApiError } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import { retry } from '../platform/retry.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../service-view/service-view.js';
import { Refusal, refuses, type RefusedCall } from './refusal.js';

const ATTEMPTS = 4;

/** The fields that the record of a refusal contains. A `ReviewedCall` and a `Refusal` have all of them. */
export interface Refusable {
  agent: AgentView;
  call: RefusedCall;
  service: ServiceView | null;
  verdict: RiskVerdict | null;
}

/**
 * Records each refusal. Forwarded and held requests have their records already. When the agent or the service has
 * changed since the review, the call is reviewed and tried again, so that no outcome is based on an outdated
 * configuration.
 */
@Injectable()
export class Refusals {
  constructor(
    private readonly audit: AuditLog,
    private readonly records: RequestRecords,
    private readonly agents: AgentDirectory,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /** @param review reads the call under the agent's configuration. It throws nothing but a `Refusal` */
  recorded<T extends Refusable, Outcome>(
    agent: AgentView,
    review: (agent: AgentView) => T,
    work: (reviewed: T) => Promise<Outcome>,
  ): Promise<Outcome> {
    let current = agent;
    let reviewed: Refusable | null = null;
    let renewedServiceId: number | undefined;
    const attempt = async (): Promise<Outcome> => {
      try {
        const found = (reviewed = review(current));
        return await work(found);
      } catch (error) {
        if (error instanceof Refusal) reviewed = error;
        if (error instanceof StaleConfiguration) renewedServiceId ??= error.renewedServiceId;
        if (reviewed !== null && refuses(error))
          await this.record(error, reviewed, judgedBy(current, reviewed.service));
        throw error;
      }
    };
    const refresh = async (): Promise<void> => {
      this.metrics.reloaded(renewedServiceId === undefined ? 'agent' : 'service');
      const latest = await this.agents.refresh(current).catch((error) => this.recordRevoked(error, reviewed));
      current = renewedServiceId === undefined ? latest : { ...latest, renewedServiceId };
    };
    return retry(attempt, { attempts: ATTEMPTS, when: isStale, before: refresh });
  }

  /**
   * Records that the key stopped working between two attempts. The record leaves out the fields that came from the old
   * configuration.
   */
  private async recordRevoked(error: unknown, reviewed: Refusable | null): Promise<never> {
    if (reviewed !== null && refuses(error))
      await this.record(error, { ...reviewed, service: null, verdict: null }, null);
    throw error;
  }

  /** @throws StaleConfiguration */
  private async record(error: ApiError, refused: Refusable, judged: JudgedBy | null): Promise<void> {
    const { agent, call, service, verdict } = refused;
    const { message: reason, statusCode: status } = error;
    const { kind, actionId, requestId } = call;
    const record = this.audit.newRecord('refused', {
      kind,
      agent,
      call,
      service,
      risk: verdict,
      actionId,
      reason,
      status,
    });
    if (judged === null) await this.audit.write(record);
    else if ((await this.records.write(record, judged)) === 'stale') throw new StaleConfiguration();
    this.log.info({ requestId, agent: agent.id, decision: 'refused', reason, status }, 'request');
  }
}
