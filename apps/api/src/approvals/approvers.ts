import { askersSql, type ActionEntity, type GivenApproval } from '#database';
import { isAtLeast, type ActionApprovals } from '#contracts';
import type { ActingMember } from '../membership/member.js';

/**
 * SQL: a person may approve a row of `actions`, as things are now (docs/reference/states.md#who-may-approve).
 * `mayApprove` says the same for people who are loaded already.
 * @param person SQL of the id of an account
 */
export const mayApproveSql = (action: string, person: string): string => `(${isApproverSql(action, person)}
  AND (${action}.approver_ids IS NULL OR ${person} = ANY(${action}.approver_ids))
  AND NOT EXISTS (
    SELECT FROM workspaces w
    WHERE w.id = ${action}.workspace_id AND w.separation_of_duties AND ${person} = ANY (${askersSql(action)})))`;

/** SQL: a person's role in the workspace of a row of `actions` is enough to decide. */
export const isApproverSql = (action: string, person: string): string => `EXISTS (
  SELECT FROM workspace_members deciding
  WHERE deciding.workspace_id = ${action}.workspace_id AND deciding.user_id = ${person}
    AND deciding.role IN ('approver', 'admin', 'owner'))`;

/**
 * SQL: the approvals of a row of `actions` that count. An approval counts if its giver may still approve, and saw what
 * would be sent now. To check the second, the base URL of the service is enough: nothing else that an approval covers
 * can change.
 */
export const countingSql = (
  action: string,
  baseUrl = `(SELECT s.base_url FROM services s WHERE s.id = ${action}.service_id)`,
): string => `(
  SELECT coalesce(jsonb_agg(x.given ORDER BY x.place), '[]')
  FROM jsonb_array_elements(${action}.approvals) WITH ORDINALITY x(given, place)
  WHERE x.given ->> 'baseUrl' = ${baseUrl}
    AND ${mayApproveSql(action, "(x.given ->> 'id')::int")})`;

/** The members of a workspace whose role is enough to approve, and its setting. */
export interface Approvers {
  people: readonly { id: number; name: string }[];
  separationOfDuties: boolean;
}

type Asked = Pick<ActionEntity, 'approverIds' | 'askers'>;

/** Whether a person whose role is enough may approve the action. */
export function mayApprove({ approverIds, askers }: Asked, id: number, separationOfDuties: boolean): boolean {
  if (approverIds !== null && !approverIds.includes(id)) return false;
  return !(separationOfDuties && askers.includes(id));
}

/** The approvals that count while the action is pending. */
export function counting(action: ActionEntity, { people, separationOfDuties }: Approvers): GivenApproval[] {
  return action.approvals.filter(
    ({ id, baseUrl }) =>
      baseUrl === action.serviceBaseUrl &&
      people.some((person) => person.id === id) &&
      mayApprove(action, id, separationOfDuties),
  );
}

/** The people who may give one more approval. */
export function candidates(action: ActionEntity, approvers: Approvers): Approvers['people'] {
  const given = new Set(counting(action, approvers).map(({ id }) => id));
  return approvers.people.filter(({ id }) => !given.has(id) && mayApprove(action, id, approvers.separationOfDuties));
}

/** Whether this person, or the token that stands for the person, may give one more approval. */
export const isCandidate = (member: Pick<ActingMember, 'id' | 'role'>, among: Approvers['people']): boolean =>
  isAtLeast(member.role, 'approver') && among.some(({ id }) => id === member.id);

/** Why a person who may not approve an action may not. Whom rules leave out can't change that. */
export function obstacleOf(
  { approverIds }: Pick<ActionEntity, 'approverIds'>,
  { id, role }: Pick<ActingMember, 'id' | 'role'>,
): NonNullable<ActionApprovals['whyNot']> {
  if (!isAtLeast(role, 'approver')) return 'role';
  return approverIds !== null && !approverIds.includes(id) ? 'not_named' : 'made_agent';
}
