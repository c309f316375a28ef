import type { Actor, AuditDecision, AuditRecord } from '#contracts';
import type { ActionEntity, AuditRecordEntity } from '#database';

/** What a record itself does not say. */
interface About {
  /** Of the record, as long as it is stored. */
  action: Pick<ActionEntity, 'summary' | 'headline'> | null;
  decision: AuditDecision | null;
  undoneAt: Date | undefined;
}

/** Converts a stored record to a response. All responses use this function. */
export function toAuditRecord(record: AuditRecordEntity, { action, decision, undoneAt }: About): AuditRecord {
  // Old records have no summary of their own.
  const summary = record.summary ?? action?.summary ?? null;
  return {
    id: record.id,
    at: record.at.toISOString(),
    kind: record.kind,
    outcome: record.outcome,
    requestId: record.requestId,
    agent: toParty(record.agentId, record.agentName),
    service: toParty(record.serviceId, record.serviceName),
    actor: toParty(record.actorId, record.actorName),
    method: record.method,
    url: record.url,
    intent: record.intent,
    summary,
    headline: action?.headline ?? summary,
    riskScore: record.riskScore,
    riskExplanation: record.riskExplanation,
    reason: record.reason,
    details: record.details,
    actionId: record.actionId,
    decision,
    undoneAt: undoneAt?.toISOString() ?? null,
    status: record.status,
    upstreamStatus: record.upstreamStatus,
    durationMs: record.durationMs,
    responseBytes: record.responseBytes,
    error: record.error,
    observed: record.observed,
  };
}

function toParty(id: number | null, name: string | null): Actor | null {
  return name === null ? null : { id, name };
}
