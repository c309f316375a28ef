/** SQL: row `a` of `actions` was approved, and withdrawn later. Only an approved action ever had a time to execute it. */
const withdrawnSql = (a: string): string => `${a}.status = 'DENIED' AND ${a}.approval_expires_at IS NOT NULL`;

/**
 * SQL: what people decided first about row `a` of `actions`, which is resolved. A revised or withdrawn action has the
 * status DENIED, but nobody denied it. An action whose approval was undone is not resolved, so that it counts as
 * nothing. The records of decisions are counted alike.
 */
export const decidedAsSql = (
  a: string,
): string => `CASE WHEN ${a}.status <> 'DENIED' OR ${withdrawnSql(a)} THEN 'approved'
  WHEN ${a}.revised_as IS NOT NULL THEN 'revised' ELSE 'denied' END`;

/** SQL: from when the decision is measured. Null: the action has only the time of the withdrawal. */
export const askedAtSql = (a: string): string => `CASE WHEN ${withdrawnSql(a)} THEN NULL ELSE ${a}.created_at END`;
