import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { HttpMethod, RequestEffect } from '#contracts';
import { ActionEntity, agentMakersSql, inTransaction } from '#database';
import type { AgentView } from '../agents/agent-directory.js';
import type { AnswerRoom } from '../agents/answer-room.js';
import { AuditLog } from '../audit/audit-log.js';
import { isNotCountingSql, isOpenSql } from './standing-denial.js';
import type { Payload } from '../egress/payload.js';
import { Metrics } from '../observability/metrics.js';
import { ApprovalsConfig, RiskConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../service-view/service-view.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { mayApproveSql } from './approvers.js';
import { newAssessment } from './held-assessment.js';
import { OpenActionLimit } from './open-action-limit.js';
import { findAction, findWithoutBodies, isActionId, move, NOW } from './stored-actions.js';
import { StandingDenials, withReason } from './standing-denials.js';

export interface RequestToHold {
  agent: AgentView;
  service: ServiceView;
  method: HttpMethod;
  targetUrl: string;
  /** Without authentication headers. */
  headers: Record<string, string>;
  body: Payload | null;
  intent: string;
  /** Whether the agent gave no intent. */
  unstatedIntent?: boolean;
  /** What the request would do, in the gateway's words. */
  summary: string;
  /** The same with values of the query and the body. Only for those who may read them. */
  headline: string;
  /** What the request would do. */
  effects: readonly RequestEffect[];
  /** The same for all requests that are one action while it waits. */
  equalHash: string;
  /** `targetHash` is the place that the request goes to. `denialHashes` identify what a denial holds at this place. */
  targetHash: string;
  denialHashes: string[];
  /** Whether the request joins the action of an equal request that waits. Never with an idempotency key. */
  joins: boolean;
  verdict: RiskVerdict;
  requestId: string;
}

interface QueuedAction {
  id: string;
  /** Whether the request became a new action. */
  isNew: boolean;
}

/** How a request is queued. */
interface Placed {
  verdict: RiskVerdict;
  /** Requests with the same hash share one pending action. null: it is an action of its own. */
  dedupeHash: string | null;
  repeatsId: string | null;
  /** The action that it revises. */
  revises: string | null;
}

/**
 * A request that equals a revised one is answered with the revision, or with the revision of that revision, while it is
 * open. A request that joins is answered with the equal action whose approval does not count yet. $1 the agent, $2 the
 * place of the request, $3 its hashes, $4 its hash if it joins.
 */
const ASK_OPEN = `
  WITH RECURSIVE revision AS (
    SELECT revised_as AS id FROM actions WHERE agent_id = $1 AND target_hash = $2 AND denial_hashes && $3 AND revised_as IS NOT NULL
    UNION
    SELECT id FROM actions WHERE agent_id = $1 AND target_hash = $2 AND dedupe_hash = $4 AND ${isNotCountingSql('actions')}
    UNION
    SELECT a.revised_as FROM revision r JOIN actions a ON a.id = r.id WHERE a.revised_as IS NOT NULL)
  UPDATE actions SET times_asked = times_asked + 1
  WHERE id = (SELECT a.id FROM actions a JOIN revision r ON r.id = a.id WHERE ${isOpenSql('a')} ORDER BY a.created_at DESC LIMIT 1)
    AND status IN ('PENDING', 'APPROVED')
  RETURNING id`;

/**
 * Finds the denied revision of an equal request. The denial must be recent enough to hold, and no exactly equal request
 * may have been approved since the original was revised. $4: for how many hours a denial holds.
 */
const DENIED_REVISION = `
  WITH RECURSIVE revision AS (
    SELECT id, revised_as, resolved_at FROM actions
    WHERE agent_id = $1 AND target_hash = $2 AND denial_hashes && $3 AND revised_as IS NOT NULL
      AND NOT EXISTS (SELECT FROM actions later WHERE later.agent_id = $1 AND later.target_hash = $2
        AND (later.denial_hashes @> actions.denial_hashes OR later.denial_hashes @> $3)
        AND later.resolved_at > actions.resolved_at AND later.status <> 'DENIED' AND NOT ${isNotCountingSql('later')})
    UNION
    SELECT a.id, a.revised_as, a.resolved_at FROM revision r JOIN actions a ON a.id = r.revised_as)
  SELECT a.resolved_by_name AS name, a.resolution_note AS note FROM revision r JOIN actions a ON a.id = r.id
  WHERE a.revised_as IS NULL AND a.status = 'DENIED' AND a.resolved_at > now() - make_interval(hours => $4)
  ORDER BY a.resolved_at DESC LIMIT 1`;

/**
 * Tells the dashboards of the workspace, and the channels of owners, if fewer people may approve a new action than it
 * needs.
 */
const TELL_OWNERS = `
  SELECT pg_notify('agw_events', json_build_object('type', 'approvers.missing', 'workspaceId', a.workspace_id, 'id', a.id)::text),
    tell_channels(a.workspace_id, 'approvers.missing', a.id::text, jsonb_build_object(
      'actionId', a.id, 'summary', a.summary, 'riskScore', a.risk_score, 'assessment', a.assessment_state, 'effects', effect_words(a.effects),
      'agentId', a.agent_id, 'agent', a.agent_name, 'serviceId', a.service_id, 'service', a.service_name, 'expiresAt', a.expires_at), a.created_at, a.expires_at)
  FROM actions a WHERE a.id = $1 AND a.times_asked = 1 AND a.approvals_needed >
    (SELECT count(*) FROM workspace_members person WHERE person.workspace_id = a.workspace_id AND ${mayApproveSql('a', 'person.user_id')})`;

/**
 * Held requests. Every transition is one conditional update, so one of two concurrent ones wins.
 * See docs/reference/states.md#one-winner.
 */
@Injectable()
export class ApprovalQueue {
  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly limit: OpenActionLimit,
    private readonly denials: StandingDenials,
    private readonly config: ApprovalsConfig,
    private readonly risk: RiskConfig,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Queues a request. If the same agent sends an equal request while one waits, it gets the waiting action.
   * @param alongside runs in the same transaction, for example to bind an idempotency key to the action
   * @returns the action without its bodies
   * @throws StaleConfiguration when the configuration has changed since the assessment
   */
  async hold(
    request: RequestToHold,
    alongside?: (tx: EntityManager, actionId: string) => Promise<void>,
  ): Promise<ActionEntity> {
    const held = await inTransaction(this.source, async (tx) => {
      await assertCurrent(tx, request.agent, request.service);
      const { id, isNew } = await this.insertOrFind(tx, request);
      if (isNew) await this.limit.assertKept(tx, request.agent);
      const { agent, service, verdict: risk, summary } = request;
      const about = { agent, call: request, service, risk, summary, actionId: id, status: 428 };
      await this.audit.writeIn(tx, this.audit.newRecord('held', about));
      await tx.query(TELL_OWNERS, [id]);
      await alongside?.(tx, id);
      return { action: await findWithoutBodies(tx, { id }), isNew };
    });
    if (held.isNew) this.metrics.actionsCameTo('held');
    return held.action;
  }

  private async insertOrFind(tx: EntityManager, request: RequestToHold): Promise<QueuedAction> {
    const { agent, equalHash, targetHash, denialHashes } = request;
    const dedupeHash = request.joins ? equalHash : null;
    const asked = [agent.id, targetHash, denialHashes, dedupeHash];
    const [[open]]: [{ id: string }[], number] = await tx.query(ASK_OPEN, asked);
    if (open !== undefined) return { id: open.id, isNew: false };
    await this.refuseDeniedRevision(tx, request);
    const repeated = await this.denials.repeated(tx, agent.id, request);
    const verdict = withReason(request.verdict, repeated);
    if (dedupeHash !== null) {
      // An expired action must not be found again.
      const { affected } = await tx
        .createQueryBuilder()
        .update(ActionEntity)
        .set({ status: 'EXPIRED' })
        .where('agent_id = :agentId AND dedupe_hash = :dedupeHash', { agentId: agent.id, dedupeHash })
        .andWhere(`status = 'PENDING' AND expires_at <= clock_timestamp()`)
        .execute();
      this.metrics.actionsCameTo('expired', affected ?? 0);
    }
    const waits = dedupeHash !== null && (await isWaiting(tx, agent.id, dedupeHash));
    // Before the body is written: a refused body would take space in the database too.
    if (!waits) await this.limit.assertRoom(tx, agent, countBodyBytes(request));
    return this.insert(tx, request, { verdict, dedupeHash, repeatsId: repeated?.id ?? null, revises: null });
  }

  /** A person who denied the revision has also decided about the original. @throws ApiError 403 */
  private async refuseDeniedRevision(tx: EntityManager, request: RequestToHold): Promise<void> {
    const [denied]: { name: string | null; note: string | null }[] = await tx.query(DENIED_REVISION, [
      request.agent.id,
      request.targetHash,
      request.denialHashes,
      this.config.denialHoldsHours,
    ]);
    if (denied !== undefined) throw errors.deniedByApprover(denied.name, denied.note);
  }

  /**
   * Queues the revision of an action: an action of its own. The limits of open actions don't apply, because a person
   * makes it and it closes another one.
   * @throws StaleConfiguration
   */
  async queueRevision(tx: EntityManager, request: RequestToHold, revises: string): Promise<string> {
    await assertCurrent(tx, request.agent, request.service);
    const repeated = await this.denials.repeated(tx, request.agent.id, request);
    const repeatsId = repeated?.id ?? null;
    const { id } = await this.insert(tx, request, { verdict: request.verdict, dedupeHash: null, repeatsId, revises });
    await tx.query(TELL_OWNERS, [id]);
    return id;
  }

  private async insert(
    tx: EntityManager,
    request: RequestToHold,
    { verdict, dedupeHash, repeatsId, revises }: Placed,
  ): Promise<QueuedAction> {
    const { agent, service, equalHash } = request;
    const bytes = request.body === null || request.body.isPlain ? null : request.body.bytes;
    const assessment = newAssessment(verdict, request.effects, this.risk.assessHeld);
    const [row]: QueuedAction[] = await tx.query(
      `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers,
         body, dedupe_hash, intent, summary, risk_score, risk_explanation, risk_source, equal_hash, repeats_id, created_at,
         body_bytes, body_hash, approvals_needed, approver_ids, revises, target_hash,
         denial_hashes, expires_at, key_makers, effects, assessment_state, assessment_scores, assess_after, unstated_intent, headline)
       VALUES ($1, $2, $3, $4, $5, $6, 'PENDING', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, ${NOW},
         $19, $20, $21, $22, $23, $24, $25, ${NOW} + make_interval(hours => $26),
         coalesce((SELECT array_remove(${agentMakersSql('g')}, NULL) FROM agents g WHERE g.id = $3), '{}')
           || coalesce((SELECT revised.key_makers FROM actions revised WHERE revised.id = $23), '{}')
           || array_remove(ARRAY[$27::int], NULL), $28, $29::text, $30,
         CASE $29::text WHEN 'pending' THEN clock_timestamp() END, $31, $32)
       ON CONFLICT (agent_id, dedupe_hash) WHERE status = 'PENDING' DO UPDATE
         SET times_asked = actions.times_asked + 1,
           key_makers = ARRAY(SELECT DISTINCT unnest(actions.key_makers || excluded.key_makers))
       RETURNING id, times_asked = 1 AS "isNew"`,
      [
        randomUUID(),
        agent.workspaceId,
        agent.id,
        agent.name,
        service.id,
        service.name,
        request.method,
        request.targetUrl,
        JSON.stringify(request.headers),
        request.body?.text ?? null,
        dedupeHash,
        request.intent,
        request.summary,
        verdict.score,
        verdict.explanation,
        verdict.source,
        equalHash,
        repeatsId,
        bytes,
        bytes && hash('sha256', bytes, 'hex'),
        verdict.approvals.needed,
        verdict.approvals.approverIds,
        revises,
        request.targetHash,
        request.denialHashes,
        this.config.pendingTtlHours,
        // The key could have ended while the request was assessed.
        agent.keyMadeBy,
        JSON.stringify(request.effects),
        assessment.state,
        JSON.stringify(assessment.scores),
        request.unstatedIntent ?? false,
        request.headline,
      ],
    );
    return row;
  }

  /** @throws 404 when there is no such action, or it is another workspace's */
  async ofWorkspace(workspaceId: number, actionId: string): Promise<ActionEntity> {
    return findAction(this.source.manager, { id: actionId, workspaceId });
  }

  /** @throws 404 when there is no such action, or it is another agent's */
  async ofAgent(agentId: number, actionId: string, room: AnswerRoom | null): Promise<ActionEntity> {
    const read = () => findAction(this.source.manager, { id: actionId, agentId });
    return room === null ? read() : room.reading(read, (action) => action);
  }

  /**
   * Like `ofAgent`, and stores that the agent asked. The bodies are null unless the agent is told them, because many
   * calls may wait for decisions about large requests.
   */
  async polledBy(agentId: number, actionId: string, room: AnswerRoom | null): Promise<ActionEntity> {
    if (isActionId(actionId)) {
      await this.source
        .createQueryBuilder()
        .update(ActionEntity)
        .set({ lastPolledAt: () => NOW })
        .where('id = :actionId AND agent_id = :agentId', { actionId, agentId })
        .execute();
    }
    const action = await findWithoutBodies(this.source.manager, { id: actionId, agentId });
    const isTold = action.effectiveStatus === 'EXECUTED' || action.revises !== null;
    return isTold ? this.ofAgent(agentId, actionId, room) : action;
  }

  /** Moves actions past their time to EXPIRED. @returns how many */
  async expire(): Promise<number> {
    let expired = 0;
    for (const [from, column] of [
      ['PENDING', 'expires_at'],
      ['APPROVED', 'approval_expires_at'],
    ] as const) {
      const result = await this.source
        .createQueryBuilder()
        .update(ActionEntity)
        .set({ status: 'EXPIRED' })
        .where(`status = :from AND ${column} <= now() AND claim_id IS NULL`, { from })
        .execute();
      expired += result.affected ?? 0;
    }
    this.metrics.actionsCameTo('expired', expired);
    return expired;
  }

  /** Expires one approved action whose time to execute has passed. */
  async expireApproval(actionId: string): Promise<void> {
    const condition = 'approval_expires_at <= clock_timestamp() AND claim_id IS NULL';
    const moved = await move(this.source.manager, actionId, 'APPROVED', 'EXPIRED', condition, {});
    if (moved) this.metrics.actionsCameTo('expired');
  }
}

/** Whether a request with this hash waits, so that a repeat stores nothing. */
async function isWaiting(tx: EntityManager, agentId: number, dedupeHash: string): Promise<boolean> {
  const sql = `SELECT FROM actions WHERE agent_id = $1 AND dedupe_hash = $2 AND status = 'PENDING'`;
  const waiting: unknown[] = await tx.query(sql, [agentId, dedupeHash]);
  return waiting.length > 0;
}

/** About what the request takes in the database. */
const countBodyBytes = ({ body }: RequestToHold): number => body?.bytes.length ?? 0;

/** @throws StaleConfiguration unless both still have the versions of the assessment */
async function assertCurrent(tx: EntityManager, agent: AgentView, service: ServiceView): Promise<void> {
  const current: unknown[] = await tx.query(
    'SELECT FROM agents a, services s WHERE a.id = $1 AND a.version = $2 AND s.id = $3 AND s.version = $4',
    [agent.id, agent.version, service.id, service.version],
  );
  if (current.length === 0) throw new StaleConfiguration();
}
