import { In, type EntityManager } from 'typeorm';
import { AgentEntity, agentMakersSql, WorkspaceEntity, WorkspaceMemberEntity, type RiskRuleEntity } from '#database';
import type { ActingMember } from '../membership/member.js';
import { errors } from '../platform/errors.js';

/** @throws ApiError 404 */
export async function assertOwnAgents(tx: EntityManager, workspaceId: number, agentIds: number[]): Promise<void> {
  if (agentIds.length === 0) return;
  const own = await tx.countBy(AgentEntity, { id: In(agentIds), workspaceId });
  if (own < agentIds.length) throw errors.resourceNotFound();
}

/** The ids of those agents, besides the known ones, that the workspace does not have. */
export async function deletedAgents(
  tx: EntityManager,
  workspaceId: number,
  ids: readonly number[],
  known: readonly number[],
): Promise<number[]> {
  const added = ids.filter((id) => !known.includes(id));
  const found = await tx.find(AgentEntity, { where: { id: In(added), workspaceId }, select: { id: true } });
  const present = new Set(found.map(({ id }) => id));
  return added.filter((id) => !present.has(id));
}

/** @throws ApiError 400 that names the people who may not */
export async function assertMayApprove(tx: EntityManager, workspaceId: number, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const members = await tx.findBy(WorkspaceMemberEntity, {
    workspaceId,
    userId: In(ids),
    role: In(['approver', 'admin', 'owner']),
  });
  const may = new Set(members.map(({ userId }) => userId));
  const others = ids.filter((id) => !may.has(id));
  if (others.length === 0) return;
  throw errors.invalid(
    `approverIds: only members who are approver, admin or owner may approve, and ${others.join(', ')} may not`,
  );
}

/** How long a rule of an approver may last (docs/reference/workspaces.md#approver-rules). */
export async function approverRuleMaxHours(tx: EntityManager, id: number): Promise<number> {
  const workspace = await tx.findOneOrFail(WorkspaceEntity, { where: { id }, select: { approverRuleMaxHours: true } });
  return workspace.approverRuleMaxHours;
}

const LIMITS = `
  SELECT approver_rule_max_hours AS hours, $2::timestamptz <= clock_timestamp() + make_interval(hours => approver_rule_max_hours) AS "inTime",
    separation_of_duties AND EXISTS (
      SELECT FROM agents a WHERE a.workspace_id = w.id AND $3 = ANY (${agentMakersSql('a')}) AND ($4::int[] = '{}' OR a.id = ANY ($4)))
      AS "ownAgent"
  FROM workspaces w WHERE w.id = $1`;

/**
 * Checks the limits for people who are not administrators: they may allow requests only for a time, and with separation
 * of duties only requests that they may approve. The database's clock decides, as for the end of the rule.
 * @throws ApiError 403
 */
export async function assertAllowsForATime(
  tx: EntityManager,
  { id, role, workspaceId }: ActingMember,
  { effect, expiresAt, agentIds }: Pick<RiskRuleEntity, 'effect' | 'expiresAt' | 'agentIds'>,
): Promise<void> {
  if (effect !== 'allow') throw errors.roleTooLow(role);
  const [limits]: { hours: number; inTime: boolean | null; ownAgent: boolean }[] = await tx.query(LIMITS, [
    workspaceId,
    expiresAt,
    id,
    agentIds,
  ]);
  if (limits.inTime !== true) throw errors.approverRuleTooLong(limits.hours);
  if (limits.ownAgent) throw errors.mayNotAllow();
}
