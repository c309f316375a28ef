import type { DataSource } from 'typeorm';
import type { AuditRecordEntity } from '#database';

/** The reasons of records of one person's approval. */
export const APPROVALS = ['action.approved', 'action.approval_given'];

/**
 * SQL: whether an approval of the action of record `r` was undone after the record. A look-up by the action: with
 * `OFFSET 0`, the planner can't read all undone approvals instead.
 */
const undoneAfterSql = (r: string, whose: string): string =>
  `EXISTS (SELECT FROM audit_records u WHERE u.action_id = ${r}.action_id AND u.id > ${r}.id
     AND u.reason = 'action.undone'${whose} OFFSET 0)`;

/** SQL: whether record `r`, which is of an approval, was undone by its person. */
export const isUndoneSql = (r: string): string => undoneAfterSql(r, ` AND u.actor_id = ${r}.actor_id`);

/**
 * SQL: whether record `r`, which is of the approval that made its action APPROVED, was in vain: somebody undid one of
 * the approvals, and the action waited again.
 */
export const waitedAgainSql = (r: string): string => undoneAfterSql(r, '');

/** When the person of each approval undid it, by the id of the record. Reads the records of these actions only. */
export async function undoneAt(
  source: DataSource,
  workspaceId: number,
  records: readonly AuditRecordEntity[],
): Promise<Map<string, Date>> {
  const approvals = records.filter(({ reason }) => reason !== null && APPROVALS.includes(reason));
  if (approvals.length === 0) return new Map();
  const first = approvals.map(({ id }) => id).reduce((a, b) => (a < b ? a : b));
  const undone = await source.query<Pick<AuditRecordEntity, 'id' | 'at' | 'actionId' | 'actorId'>[]>(
    `SELECT id, at, action_id AS "actionId", actor_id AS "actorId" FROM audit_records
     WHERE action_id = ANY($1) AND id > $2 AND workspace_id = $3 AND reason = 'action.undone' ORDER BY id`,
    [approvals.map(({ actionId }) => actionId), first, workspaceId],
  );
  const found = new Map<string, Date>();
  for (const { id, actionId, actorId } of approvals) {
    const undo = undone.find((each) => each.actionId === actionId && each.actorId === actorId && each.id > id);
    if (undo !== undefined) found.set(id, undo.at);
  }
  return found;
}
