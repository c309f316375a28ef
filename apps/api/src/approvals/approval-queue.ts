import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryDeepPartialEntity } from 'typeorm';
import { ACTION_TRANSITIONS, type ActionStatus, type HttpMethod } from '#contracts';
import { ActionEntity, inTransaction } from '#database';
import type { AgentView } from '../agents/agent-directory.js';
import { AuditLog } from '../audit/audit-log.js';
import type { Member } from '../membership/member.js';
import type { Payload } from '../egress/payload.js';
import { ApprovalsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../services/service-view.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { digestOf } from './action-digest.js';
import { ActionBlocks, EXECUTABLE_SQL } from './action-blocks.js';
import { EXECUTION_IN_PROGRESS } from './action-state.js';
import { OpenActionLimit } from './open-action-limit.js';
import { StandingDenials, withReason } from './standing-denials.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * SQL: the moment of the transaction, as precise as the cursors of lists. The database's clock sets and compares all times
 * of actions, because the clocks of two instances may differ.
 */
const NOW = `date_trunc('milliseconds', now())`;

/** Whether a text has the form of an action's id. */
export const isActionId = (text: string): boolean => UUID.test(text);

interface RequestToHold {
  agent: AgentView;
  service: ServiceView;
  method: HttpMethod;
  targetUrl: string;
  /** Without authentication headers. */
  headers: Record<string, string>;
  body: Payload | null;
  intent: string;
  /** What the request would do, in the gateway's words. */
  summary: string;
  /** The same for all equal requests. */
  equalHash: string;
  /** A request with an idempotency key becomes an action of its own, even while an equal one waits. */
  hasKey: boolean;
  verdict: RiskVerdict;
  requestId: string;
}

export interface Decision {
  to: 'APPROVED' | 'DENIED';
  note: string | null;
  /** The digest of what the approver saw. Undefined: not compared. */
  digest?: string;
}

/**
 * Held requests and their decisions. Every transition is one conditional update, so one of two concurrent ones wins.
 * See docs/reference/states.md#one-winner.
 */
@Injectable()
export class ApprovalQueue {
  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly blocks: ActionBlocks,
    private readonly limit: OpenActionLimit,
    private readonly denials: StandingDenials,
    private readonly config: ApprovalsConfig,
  ) {}

  /**
   * Queues a request. If the same agent sends an equal request while one waits, it gets the waiting action.
   * @param alongside runs in the same transaction, for example to bind an idempotency key to the action
   * @throws StaleConfiguration when the configuration has changed since the assessment
   */
  hold(
    request: RequestToHold,
    alongside?: (tx: EntityManager, actionId: string) => Promise<void>,
  ): Promise<ActionEntity> {
    return inTransaction(this.source, async (tx) => {
      await assertCurrent(tx, request.agent, request.service);
      const id = await this.insertOrFind(tx, request);
      await this.limit.assertKept(tx, request.agent.id);
      const { agent, service, verdict: risk, summary } = request;
      const about = { agent, call: request, service, risk, summary, actionId: id, status: 428 };
      await this.audit.writeIn(tx, this.audit.recordOf('held', about));
      await alongside?.(tx, id);
      return tx.findOneByOrFail(ActionEntity, { id });
    });
  }

  private async insertOrFind(tx: EntityManager, request: RequestToHold): Promise<string> {
    const { agent, service, equalHash } = request;
    // The service is part of the hash: two may have the same base URL, and an action belongs to one of them.
    const dedupeHash = request.hasKey ? null : hash('sha256', `${service.id} ${equalHash}`, 'hex');
    const repeated = await this.denials.repeated(tx, agent.id, equalHash);
    const verdict = withReason(request.verdict, repeated);
    if (dedupeHash !== null) {
      // An expired action must not be found again.
      await tx
        .createQueryBuilder()
        .update(ActionEntity)
        .set({ status: 'EXPIRED' })
        .where('agent_id = :agentId AND dedupe_hash = :dedupeHash', { agentId: agent.id, dedupeHash })
        .andWhere(`status = 'PENDING' AND expires_at <= clock_timestamp()`)
        .execute();
    }
    const bytes = request.body === null || request.body.isPlain ? null : request.body.bytes;
    const [row]: { id: string }[] = await tx.query(
      `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers,
         body, dedupe_hash, intent, summary, risk_score, risk_explanation, risk_source, equal_hash, repeats_id, created_at,
         body_bytes, body_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'PENDING', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, ${NOW},
         $19, $20, ${NOW} + make_interval(hours => $21))
       ON CONFLICT (agent_id, dedupe_hash) WHERE status = 'PENDING' DO UPDATE SET times_asked = actions.times_asked + 1
       RETURNING id`,
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
        repeated?.id ?? null,
        bytes,
        bytes && hash('sha256', bytes, 'hex'),
        this.config.pendingTtlHours,
      ],
    );
    return row.id;
  }

  /** @throws 404 when there is no such action, or it is another workspace's */
  async ofWorkspace(workspaceId: number, actionId: string): Promise<ActionEntity> {
    return this.find({ id: actionId, workspaceId });
  }

  /** @throws 404 when there is no such action, or it is another agent's */
  async ofAgent(agentId: number, actionId: string): Promise<ActionEntity> {
    return this.find({ id: actionId, agentId });
  }

  /** Like `ofAgent`, and stores that the agent asked. */
  async polledBy(agentId: number, actionId: string): Promise<ActionEntity> {
    if (isActionId(actionId)) {
      await this.source
        .createQueryBuilder()
        .update(ActionEntity)
        .set({ lastPolledAt: () => NOW })
        .where('id = :actionId AND agent_id = :agentId', { actionId, agentId })
        .execute();
    }
    return this.find({ id: actionId, agentId });
  }

  /**
   * @throws 404, 409 `Action is already <STATUS>`, 409 when the action is not what the approver saw, 409 when an approved action
   * could not be executed
   */
  decide(member: Member, actionId: string, decision: Decision, requestId: string): Promise<ActionEntity> {
    const { to, note } = decision;
    return inTransaction(this.source, async (tx) => {
      const before = await this.find({ id: actionId, workspaceId: member.workspaceId }, tx);
      // A base URL that changes after this read makes the digest differ when the action is executed.
      const digest = digestOf(before);
      const isSeen = decision.digest === undefined || digest === null || decision.digest === digest;
      if (before.effectiveStatus === 'PENDING' && !isSeen) throw errors.notWhatWasSeen();
      const inTime = 'expires_at > clock_timestamp()';
      const condition = to === 'APPROVED' ? `${inTime} AND ${EXECUTABLE_SQL}` : inTime;
      const moved = await this.move(tx, before.id, 'PENDING', to, condition, {
        resolvedAt: () => NOW,
        resolvedBy: member.id,
        resolvedByName: member.name,
        resolutionNote: note,
        approvalExpiresAt:
          to === 'APPROVED' ? () => `${NOW} + make_interval(hours => ${this.config.executeTtlHours})` : null,
        approvedDigest: to === 'APPROVED' ? digest : null,
      });
      const action = await this.find({ id: actionId, workspaceId: member.workspaceId }, tx);
      if (!moved) {
        const blocked = (await this.blocks.reasons([action])).get(action.id);
        throw action.status === 'PENDING' && blocked !== undefined
          ? errors.actionBlocked(blocked)
          : errors.alreadyDecided(action.effectiveStatus);
      }
      await this.recordDecision(tx, member, to === 'APPROVED' ? 'action.approved' : 'action.denied', action, requestId);
      return action;
    });
  }

  /**
   * Withdraws an approval: the action becomes DENIED, and the agent gets the note.
   * @throws 404, 409 unless the action is approved, in time, and not being executed
   */
  withdraw(member: Member, actionId: string, note: string | null, requestId: string): Promise<ActionEntity> {
    return inTransaction(this.source, async (tx) => {
      const before = await this.find({ id: actionId, workspaceId: member.workspaceId }, tx);
      const condition = 'approval_expires_at > clock_timestamp() AND claim_id IS NULL';
      const moved = await this.move(tx, before.id, 'APPROVED', 'DENIED', condition, {
        resolvedAt: () => NOW,
        resolvedBy: member.id,
        resolvedByName: member.name,
        resolutionNote: note,
      });
      const action = await this.find({ id: actionId, workspaceId: member.workspaceId }, tx);
      if (!moved) {
        const { effectiveStatus: status } = action;
        throw errors.cannotWithdraw(status === 'APPROVED' ? EXECUTION_IN_PROGRESS : status);
      }
      await this.recordDecision(tx, member, 'action.withdrawn', action, requestId);
      return action;
    });
  }

  private recordDecision(
    tx: EntityManager,
    actor: Member,
    reason: 'action.approved' | 'action.denied' | 'action.withdrawn',
    action: ActionEntity,
    requestId: string,
  ): Promise<void> {
    return this.audit.recordChange(tx, {
      actor,
      reason,
      agent: { id: action.agentId, name: action.agentName },
      service: { id: action.serviceId, name: action.serviceName },
      actionId: action.id,
      request: {
        method: action.method,
        url: action.targetUrl,
        intent: action.intent,
        summary: action.summary,
        riskScore: action.riskScore,
      },
      details: { note: action.resolutionNote, digest: digestOf(action) },
      requestId,
    });
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
    return expired;
  }

  /** Expires one approved action whose time to execute has passed. */
  async expireApproval(actionId: string): Promise<void> {
    const condition = 'approval_expires_at <= clock_timestamp() AND claim_id IS NULL';
    await this.move(this.source.manager, actionId, 'APPROVED', 'EXPIRED', condition, {});
  }

  /** All transitions go through this method. The WHERE contains the expected status. */
  private async move(
    tx: EntityManager,
    id: string,
    from: ActionStatus,
    to: ActionStatus,
    condition: string,
    set: QueryDeepPartialEntity<ActionEntity>,
  ): Promise<boolean> {
    if (!ACTION_TRANSITIONS[from].includes(to)) throw new Error(`no transition from ${from} to ${to}`);
    const result = await tx
      .createQueryBuilder()
      .update(ActionEntity)
      .set({ ...set, status: to })
      .where('id = :id AND status = :from', { id, from })
      .andWhere(condition)
      .execute();
    return result.affected === 1;
  }

  private async find(
    where: { id: string; workspaceId?: number; agentId?: number },
    tx: EntityManager = this.source.manager,
  ): Promise<ActionEntity> {
    const action = isActionId(where.id) ? await tx.findOneBy(ActionEntity, where) : null;
    if (action === null) throw errors.actionNotFound();
    return action;
  }
}

/** @throws StaleConfiguration unless both still have the versions of the assessment */
async function assertCurrent(tx: EntityManager, agent: AgentView, service: ServiceView): Promise<void> {
  const current: unknown[] = await tx.query(
    'SELECT FROM agents a, services s WHERE a.id = $1 AND a.version = $2 AND s.id = $3 AND s.version = $4',
    [agent.id, agent.version, service.id, service.version],
  );
  if (current.length === 0) throw new StaleConfiguration();
}
