import type { Actor, AuditRecord } from '#contracts';
import type { AuditRecordEntity } from '#database';

/** The only way from a stored record to a response. */
export function toAuditRecord(record: AuditRecordEntity): AuditRecord {
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
    riskScore: record.riskScore,
    riskExplanation: record.riskExplanation,
    reason: record.reason,
    details: record.details,
    actionId: record.actionId,
    status: record.status,
    upstreamStatus: record.upstreamStatus,
    durationMs: record.durationMs,
    responseBytes: record.responseBytes,
    error: record.error,
  };
}

function toParty(id: number | null, name: string | null): Actor | null {
  return name === null ? null : { id, name };
}
