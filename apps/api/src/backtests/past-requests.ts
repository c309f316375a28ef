import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActionStatus, AuditOutcome, HttpMethod, RiskSource } from '#contracts';
import { ActionEntity, effectiveStatusSql } from '#database';
import { HeldBodies } from '../approvals/held-bodies.js';
import type { RiskRequest } from '../risk/risk-verdict.js';

/** Their headers are in memory at once. */
const PAGE = 100;
/** Reading a longer one, and what it does, stops other requests for too long (`benchmarks/backtests.mjs`). */
const BODY_MAX_BYTES = 256 * 1024;

/** A request that was assessed. */
export interface PastRequest {
  at: Date;
  /** 0: the agent was deleted. */
  agentId: number;
  outcome: AuditOutcome;
  score: number | null;
  source: RiskSource;
  /** Without headers and body, unless the request was held and its action is still stored. */
  request: RiskRequest;
  /** Whether headers and body are those of the request. */
  isWhole: boolean;
  /** Whether the person who asks approved it. */
  isOwnApproval: boolean;
  /** Its action, if it was held and the action is still stored. */
  actionId: string | null;
  status: ActionStatus | null;
}

interface Row {
  id: string;
  at: Date;
  agentId: number | null;
  agentName: string | null;
  method: HttpMethod;
  url: string;
  intent: string | null;
  outcome: AuditOutcome;
  score: number | null;
  source: RiskSource;
  actionId: string | null;
  bodyBytes: number;
  isOwnApproval: boolean;
  status: ActionStatus | null;
}

const LATEST = `
  SELECT r.id, r.at, r.agent_id AS "agentId", r.agent_name AS "agentName", r.method, r.url, r.intent, r.outcome, r.risk_score AS score,
    r.risk_source AS source, a.id AS "actionId", ${effectiveStatusSql('a')} AS status,
    greatest(coalesce(octet_length(a.body), 0), coalesce(octet_length(a.body_bytes), 0)) AS "bodyBytes",
    coalesce(a.approvals @> jsonb_build_array(jsonb_build_object('id', $4::integer)), false) AS "isOwnApproval"
  FROM audit_records r LEFT JOIN actions a ON a.id = r.action_id
  WHERE r.service_id = $1 AND r.kind = 'request' AND r.outcome <> 'previewed' AND r.risk_source IS NOT NULL
    AND r.method IS NOT NULL AND r.url IS NOT NULL AND ($2::uuid IS NULL OR r.id < $2)
  ORDER BY r.id DESC LIMIT $3`;

/** The latest assessed requests of a service. */
@Injectable()
export class PastRequests {
  constructor(
    private readonly source: DataSource,
    private readonly bodies: HeldBodies,
  ) {}

  /**
   * The newest first. It reads one body at a time.
   * @param last how many
   * @param isWhole whether to read the headers and bodies of held requests
   * @param readerId who asks
   */
  async *latest(serviceId: number, last: number, isWhole: boolean, readerId: number): AsyncGenerator<PastRequest> {
    let before: string | null = null;
    for (let left = last; left > 0; left -= PAGE) {
      const rows: Row[] = await this.source.query(LATEST, [serviceId, before, Math.min(left, PAGE), readerId]);
      for (const row of rows) yield await this.toPastRequest(row, isWhole);
      if (rows.length < PAGE) return;
      before = rows[rows.length - 1].id;
    }
  }

  private async toPastRequest(row: Row, isWhole: boolean): Promise<PastRequest> {
    const { at, outcome, score, source, method, url: targetUrl, isOwnApproval, actionId, status } = row;
    const agentName = row.agentName ?? undefined;
    const bare: RiskRequest = { method, targetUrl, headers: {}, body: null, intent: row.intent ?? '', agentName };
    const whole = isWhole && row.actionId !== null && row.bodyBytes <= BODY_MAX_BYTES ? await this.whole(row) : null;
    return {
      at,
      agentId: row.agentId ?? 0,
      outcome,
      score,
      source,
      request: whole === null ? bare : { ...whole, agentName },
      isWhole: whole !== null,
      isOwnApproval,
      actionId,
      status,
    };
  }

  /** @returns null if the action was deleted meanwhile, or its decoded body is too long */
  private async whole({ actionId }: Row): Promise<RiskRequest | null> {
    const action = await this.source.manager.findOne(ActionEntity, {
      where: { id: actionId! },
      select: { id: true, method: true, targetUrl: true, headers: true, body: true, bodyHash: true, intent: true },
    });
    if (action === null) return null;
    const { method, targetUrl, headers, intent } = action;
    const body = await this.bodies.of(action);
    const { judged = null, raw = null, binaryBytes = null } = body ?? {};
    if (judged !== null && judged.length > BODY_MAX_BYTES) return null;
    return { method, targetUrl, headers, intent, body: judged, rawBody: raw, binaryBytes };
  }
}
