import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isAtLeast } from '#contracts';
import { type ActionEntity, inTransaction, isUniqueViolation } from '#database';
import { Confirmations } from '../auth/confirmations.js';
import { AuditLog } from '../audit/audit-log.js';
import type { ActingMember } from '../membership/member.js';
import { Memberships } from '../membership/memberships.js';
import { Metrics } from '../observability/metrics.js';
import { ApprovalsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { retry } from '../platform/retry.js';
import { stricter } from '../rules/approvals-needed.js';
import { effectiveDigest } from './action-digest.js';
import { ActionFactsReader, EXECUTABLE_SQL } from './action-facts.js';
import { EXECUTION_IN_PROGRESS } from './action-state.js';
import { ApprovalQueue, type RequestToHold } from './approval-queue.js';
import { lockForDecision, needsConfirmation } from './decision-terms.js';
import { countingSql, isApproverSql, mayApprove, mayApproveSql } from './approvers.js';
import { findAction, move, NOW } from './stored-actions.js';
import { takeBack, whyNotUndone } from './undone-approvals.js';
import type { Via } from './via.js';

/** The person who decides, as a parameter of `move`. */
const MY_ID = ':me::int';

/**
 * Adds an approval to an action. The last approval that the action needs makes it APPROVED. $1 the action, $2 the
 * person, $3 the name, $4 the note, $5 the digest that is approved, $6 hours to execute it, $7 the base URL of the
 * service in that digest.
 */
const APPROVE = `
  WITH counted AS (
    SELECT id, ${countingSql('actions', '$7::text')} AS given FROM actions
    WHERE id = $1 AND status = 'PENDING' AND expires_at > clock_timestamp() AND ${EXECUTABLE_SQL} AND ${mayApproveSql('actions', '$2::int')}),
  enough AS (
    SELECT id, given, (SELECT w.undo_seconds FROM workspaces w JOIN actions a ON a.workspace_id = w.id WHERE a.id = $1) AS undo_seconds,
      jsonb_array_length(given) + 1 >= (SELECT approvals_needed FROM actions WHERE id = $1) AS yes FROM counted
    WHERE NOT given @> jsonb_build_array(jsonb_build_object('id', $2::int)))
  UPDATE actions SET status = CASE WHEN yes THEN 'APPROVED' ELSE 'PENDING' END,
    approvals = given || jsonb_build_array(jsonb_build_object('id', $2::int, 'name', $3::text,
      'at', to_char(${NOW} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'note', $4::text,
      'baseUrl', $7::text)),
    resolved_at = CASE WHEN yes THEN ${NOW} END,
    resolved_by = CASE WHEN yes THEN $2::int END,
    resolved_by_name = CASE WHEN yes THEN $3::text END,
    resolution_note = CASE WHEN yes THEN $4::text END,
    counts_from = CASE WHEN yes AND undo_seconds > 0
      THEN date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => undo_seconds) END,
    approval_expires_at = CASE WHEN yes THEN ${NOW} + make_interval(hours => $6, secs => undo_seconds) END,
    approved_digest = CASE WHEN yes THEN $5::text END
  FROM enough WHERE actions.id = enough.id AND status = 'PENDING'`;

interface Decision {
  note: string | null;
  via?: Via;
  /** The parts of the request that were on the screen. */
  seen?: readonly string[];
}

interface Approval extends Decision {
  /** Of what the approver saw. Undefined: not compared. */
  digest?: string;
}

type Reason =
  | 'action.approved'
  | 'action.approval_given'
  | 'action.denied'
  | 'action.withdrawn'
  | 'action.undone'
  | 'action.revised';

/**
 * Decisions of people about actions. Each is one conditional update, so one of two concurrent ones wins.
 * See docs/reference/states.md#one-winner.
 */
@Injectable()
export class Decisions {
  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly facts: ActionFactsReader,
    private readonly queue: ApprovalQueue,
    private readonly memberships: Memberships,
    private readonly confirmations: Confirmations,
    private readonly config: ApprovalsConfig,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Adds the person's approval. The last one that is needed makes the action APPROVED.
   * @throws 404, 409 `Action is already <STATUS>`, 403 when the person may not, 409 when the person has approved
   * already, when the action is not what the approver saw, or when it could not be executed, 403 when the session must
   * be confirmed first
   */
  async approve(member: ActingMember, actionId: string, approval: Approval, requestId: string): Promise<ActionEntity> {
    const approved = await inTransaction(this.source, async (tx) => {
      const terms = await lockForDecision(tx, member, actionId, approval.via);
      const action = await this.addApproval(tx, member, actionId, approval, requestId);
      // Asked last, so that nobody confirms in vain. The error rolls the decision back.
      if (needsConfirmation(terms, action)) await this.confirmations.assertConfirmed(tx, member);
      return action;
    });
    if (approved.status === 'APPROVED') this.count('approved', approved);
    return approved;
  }

  private async addApproval(
    tx: EntityManager,
    member: ActingMember,
    id: string,
    { digest: shown, ...decision }: Approval,
    requestId: string,
  ): Promise<ActionEntity> {
    const { workspaceId } = member;
    const before = await findAction(tx, { id, workspaceId });
    // A base URL that changes after this read makes the digest differ when the action is executed.
    const digest = effectiveDigest(before);
    const values = [
      before.id,
      member.id,
      member.name,
      decision.note,
      digest,
      this.config.executeTtlHours,
      before.serviceBaseUrl,
    ];
    const [, added]: [unknown, number] = await tx.query(APPROVE, values);
    if (added !== 1) throw await this.whyNot(tx, member, before);
    if (shown !== undefined && digest !== null && shown !== digest) throw errors.notWhatWasSeen();
    const action = await findAction(tx, { id, workspaceId });
    const reason = action.status === 'APPROVED' ? 'action.approved' : 'action.approval_given';
    await this.record(tx, member, reason, action, decision, requestId);
    return action;
  }

  /**
   * Denies the action, and queues the person's revision of it, with the person's approval. Keys that are bound to the
   * action move to the revision.
   * @param alongside moves the keys in the same transaction
   * @throws like `approve`; StaleConfiguration when the configuration has changed since the assessment
   */
  async revise(
    member: ActingMember,
    actionId: string,
    request: RequestToHold,
    { note, digest: seen }: { note: string | null; digest?: string },
    alongside: (tx: EntityManager, revisionId: string) => Promise<void>,
  ): Promise<ActionEntity> {
    const { workspaceId } = member;
    const { requestId } = request;
    const { revised, revision } = await inTransaction(this.source, async (tx) => {
      const terms = await lockForDecision(tx, member, actionId);
      const before = await findAction(tx, { id: actionId, workspaceId });
      const needed = stricter(request.verdict.approvals, {
        needed: before.approvalsNeeded,
        approverIds: before.approverIds,
      });
      const verdict = { ...request.verdict, approvals: needed };
      const id = await this.queue.queueRevision(tx, { ...request, verdict }, actionId);
      const condition = `expires_at > clock_timestamp() AND ${EXECUTABLE_SQL} AND ${mayApproveSql('actions', MY_ID)}`;
      const set = {
        resolvedAt: () => NOW,
        resolvedBy: member.id,
        resolvedByName: member.name,
        resolutionNote: `Revised as ${id}`,
        revisedAs: id,
      };
      const moved = await move(tx, actionId, 'PENDING', 'DENIED', condition, set, { me: member.id });
      if (!moved) throw await this.whyNot(tx, member, before);
      if (seen !== undefined && seen !== effectiveDigest(before)) throw errors.notWhatWasSeen();
      await alongside(tx, id);
      const revised = await findAction(tx, { id: actionId, workspaceId });
      await this.record(tx, member, 'action.revised', revised, { note }, requestId);
      const revision = await this.addApproval(tx, member, id, { note }, requestId);
      const asks = [before, revision].some((action) => needsConfirmation(terms, action));
      if (asks) await this.confirmations.assertConfirmed(tx, member);
      return { revised, revision };
    });
    this.count('denied', revised);
    this.metrics.actionsCameTo('held');
    if (revision.status === 'APPROVED') this.metrics.actionsCameTo('approved');
    return revision;
  }

  /** @throws 404, 409 `Action is already <STATUS>`, 403 */
  async deny(
    member: ActingMember,
    actionId: string,
    note: string | null,
    requestId: string,
    via?: Via,
  ): Promise<ActionEntity> {
    const decision = { note, via };
    const inTime = 'expires_at > clock_timestamp()';
    const denied = await this.close(member, actionId, decision, requestId, 'PENDING', 'action.denied', inTime);
    this.count('denied', denied);
    return denied;
  }

  /**
   * Withdraws an approval: the action becomes DENIED, and the agent gets the note.
   * @throws 404, 403, 409 unless the action is approved, in time, and not being executed
   */
  async withdraw(
    member: ActingMember,
    actionId: string,
    note: string | null,
    requestId: string,
  ): Promise<ActionEntity> {
    const condition = 'approval_expires_at > clock_timestamp() AND claim_id IS NULL';
    const withdrawn = await this.close(
      member,
      actionId,
      { note },
      requestId,
      'APPROVED',
      'action.withdrawn',
      condition,
    );
    this.metrics.actionsCameTo('withdrawn');
    return withdrawn;
  }

  /**
   * Takes the person's approval back: the action waits as before, with the approvals of others. Nobody denied it.
   * @throws 404, 403, 409 unless the person has approved the action, the time to decide lasts, and it is not executed
   */
  undo(member: ActingMember, actionId: string, requestId: string): Promise<ActionEntity> {
    const { id, workspaceId } = member;
    const once = (): Promise<ActionEntity> =>
      inTransaction(this.source, async (tx) => {
        await lockForDecision(tx, member, actionId);
        const { isUndone, expired } = await takeBack(tx, actionId, id);
        this.metrics.actionsCameTo('expired', expired);
        const action = await findAction(tx, { id: actionId, workspaceId });
        if (!isUndone) {
          const reason = whyNotUndone(action, id);
          if (reason === null) await this.assertApprover(tx, member);
          throw errors.cannotUndo(reason ?? 'the action has just changed');
        }
        await this.record(tx, member, 'action.undone', action, { note: null }, requestId);
        return action;
      });
    return retry(once, { attempts: 5, when: isUniqueViolation });
  }

  private count(state: 'approved' | 'denied', { createdAt, resolvedAt }: ActionEntity): void {
    this.metrics.actionsCameTo(state);
    if (resolvedAt !== null) this.metrics.decided((resolvedAt.getTime() - createdAt.getTime()) / 1000);
  }

  private close(
    member: ActingMember,
    id: string,
    { note, via }: { note: string | null; via?: Via },
    requestId: string,
    from: 'PENDING' | 'APPROVED',
    reason: Reason,
    inTime: string,
  ): Promise<ActionEntity> {
    const { workspaceId } = member;
    return inTransaction(this.source, async (tx) => {
      await lockForDecision(tx, member, id, via);
      const set = {
        resolvedAt: () => NOW,
        resolvedBy: member.id,
        resolvedByName: member.name,
        resolutionNote: note,
      };
      const condition = `${inTime} AND ${isApproverSql('actions', MY_ID)}`;
      const moved = await move(tx, id, from, 'DENIED', condition, set, { me: member.id });
      const action = await findAction(tx, { id, workspaceId });
      if (!moved) {
        const { effectiveStatus: status } = action;
        if (status === from && action.claimId === null) await this.assertApprover(tx, member);
        if (from === 'PENDING') throw errors.alreadyDecided(status);
        throw errors.cannotWithdraw(status === 'APPROVED' ? EXECUTION_IN_PROGRESS : status);
      }
      await this.record(tx, member, reason, action, { note, via }, requestId);
      return action;
    });
  }

  private async whyNot(tx: EntityManager, member: ActingMember, before: ActionEntity): Promise<Error> {
    const { id, workspaceId } = member;
    const action = await findAction(tx, { id: before.id, workspaceId });
    if (action.effectiveStatus !== 'PENDING') return errors.alreadyDecided(action.effectiveStatus);
    await this.assertApprover(tx, member);
    const { blocked, approvers } = await this.facts.of(workspaceId, [action], tx);
    if (!mayApprove(action, id, approvers.separationOfDuties)) return errors.mayNotDecide();
    const obstacle = blocked.get(action.id);
    return obstacle === undefined ? errors.alreadyApproved() : errors.actionBlocked(obstacle);
  }

  private record(
    tx: EntityManager,
    actor: ActingMember,
    reason: Reason,
    action: ActionEntity,
    { note, via, seen }: Decision,
    requestId: string,
  ): Promise<void> {
    const { approvalsNeeded: needed, approvals } = action;
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
      details: {
        note,
        digest: effectiveDigest(action),
        ...(via && { via: via.name }),
        ...(seen && { seen }),
        ...(action.revises !== null && { revises: action.revises }),
        ...(action.revisedAs !== null && { revisedAs: action.revisedAs }),
        ...(needed > 1 && { approvals: { needed, given: approvals.map(({ name }) => name) } }),
      },
      requestId,
    });
  }

  /** The role may have been taken away since the guard checked it. @throws ApiError 403, 404 */
  private async assertApprover(tx: EntityManager, { id, workspaceId }: ActingMember): Promise<void> {
    const role = await this.memberships.findRole(id, workspaceId, tx);
    if (role === null) throw errors.resourceNotFound();
    if (!isAtLeast(role, 'approver')) throw errors.roleTooLow(role);
  }
}
