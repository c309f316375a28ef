import type { EntityManager } from 'typeorm';
import type { ObservedRule } from '#contracts/risk';
import type { AuditKind, AuditOutcome, HttpMethod, RiskSource } from '#contracts';

/** A person, agent or service in a record. */
export interface Party {
  id: number | null;
  name: string;
}

/** A record before its outcome is known. Fields that do not apply are left out. */
export interface NewAuditRecord {
  /** From `uuidV7`. */
  id: string;
  at: Date;
  kind: AuditKind;
  outcome: AuditOutcome;
  workspaceId?: number | null;
  requestId?: string;
  agent?: Party;
  service?: Party;
  actor?: Party;
  method?: HttpMethod;
  url?: string;
  intent?: string;
  summary?: string;
  riskScore?: number;
  riskExplanation?: string;
  riskSource?: RiskSource;
  reason?: string;
  details?: Record<string, unknown>;
  actionId?: string;
  status?: number;
  error?: string;
  observed?: ObservedRule[];
}

/** What is known about a request of an agent when its record is written. */
export interface RecordedRequest {
  /** By default a new one. */
  id?: string;
  kind?: 'request' | 'execution';
  agent: Party & { workspaceId: number };
  call: Partial<{ requestId: string; method: HttpMethod; targetUrl: string; intent: string }>;
  service?: Party | null;
  risk?: { score: number; explanation: string; source: RiskSource; observed?: ObservedRule[] } | null;
  actionId?: string;
  summary?: string;
  reason?: string;
  status?: number;
}

/** The result of a sent request. */
export interface AuditResult {
  /** The id of the record. */
  id: string;
  /** The status that the agent got. */
  status: number;
  upstreamStatus: number | null;
  durationMs: number;
  responseBytes: number | null;
  error: string | null;
}

/** The columns that `toRow` fills. */
export const AUDIT_COLUMNS = `id, at, kind, outcome, workspace_id, request_id, agent_id, agent_name, service_id, service_name, actor_id,
  actor_name, method, url, intent, summary, risk_score, risk_explanation, risk_source, reason, details, action_id, status, error, observed`;

/** Writes records in the caller's transaction. */
export async function insertRecords(tx: EntityManager, records: NewAuditRecord[]): Promise<void> {
  await tx.query(
    `INSERT INTO audit_records (${AUDIT_COLUMNS})
     SELECT ${AUDIT_COLUMNS} FROM json_populate_recordset(NULL::audit_records, $1::json)`,
    [JSON.stringify(records.map(toRow))],
  );
}

/** The values of a record by their column names. */
export function toRow(record: NewAuditRecord): Record<string, unknown> {
  return {
    id: record.id,
    at: record.at,
    kind: record.kind,
    outcome: record.outcome,
    workspace_id: record.workspaceId,
    request_id: record.requestId,
    agent_id: record.agent?.id,
    agent_name: record.agent?.name,
    service_id: record.service?.id,
    service_name: record.service?.name,
    actor_id: record.actor?.id,
    actor_name: record.actor?.name,
    method: record.method,
    url: record.url?.toWellFormed(),
    intent: record.intent,
    summary: record.summary?.toWellFormed(),
    risk_score: record.riskScore,
    risk_explanation: record.riskExplanation?.toWellFormed(),
    risk_source: record.riskSource,
    reason: record.reason?.toWellFormed(),
    details: record.details,
    action_id: record.actionId,
    status: record.status,
    error: record.error?.toWellFormed(),
    observed: record.observed,
  };
}
