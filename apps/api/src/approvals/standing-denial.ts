/**
 * What makes two requests equal: agent, service, method, URL, content type and body. Other headers, intent and key don't
 * count. See docs/reference/states.md#equal-requests.
 */
export interface EqualRequest {
  /** The place that the request goes to: SHA-256 hex. */
  targetHash: string;
  /** The denial hashes of the request. Null: the request may equal any request at this place. */
  hashes: string[] | null;
  /** When the rule that allows the request was created, in milliseconds. Null: no rule allows it. */
  allowedAtMs: number | null;
}

/** SQL: a row of `actions` can still be decided or executed. */
export const isOpenSql = (action: string): string => `((${action}.status = 'PENDING' AND ${action}.expires_at > now())
  OR (${action}.status = 'APPROVED' AND (${action}.claim_id IS NOT NULL OR ${action}.approval_expires_at > now())))`;

/** SQL: a row of `actions` was approved, and the approval does not count yet. */
export const isNotCountingSql = (action: string): string =>
  `(${action}.status = 'APPROVED' AND ${action}.counts_from IS NOT NULL AND ${action}.counts_from > now())`;

/** SQL: a row of `actions` was revised, and its revision, or a later revision in the chain, is open. */
const hasOpenRevision = (action: string): string => `(${action}.revised_as IS NOT NULL AND EXISTS (
  WITH RECURSIVE revision AS (
    SELECT ${action}.revised_as AS id
    UNION SELECT made.revised_as FROM revision JOIN actions made ON made.id = revision.id WHERE made.revised_as IS NOT NULL)
  SELECT FROM revision JOIN actions made ON made.id = revision.id WHERE ${isOpenSql('made')}))`;

/** SQL: a row of `actions` is at the place of a row `request`, and equals it. */
const isEqual = (action: string, request: string, hashes: string): string => `(${action}.agent_id = ${request}.agent_id
  AND ${action}.target_hash = ${request}.target_hash AND (${hashes} IS NULL OR ${action}.denial_hashes && string_to_array(${hashes}, ',')))`;

/**
 * SQL condition over a row `request` with `agent_id`, `target_hash` and `allowed_at`: an equal request waits for a
 * decision or for the moment when its approval counts, was denied within this number of hours, or was revised and a revision of it is still open. A later approval
 * of exactly the denied request, or of exactly this one, lifts the denial. A later `allow` rule lifts it too. The
 * statement that writes the record of a request contains this condition. So a denial applies from its commit on, on
 * every instance. See docs/reference/states.md#standing-denial.
 * @param hashes SQL of the hashes of the request, joined with commas. NULL: the request may equal any at its place
 */
export const standingDenial = (request: string, hours: string, hashes: string): string => `EXISTS (
  SELECT FROM actions n
  WHERE ${isEqual('n', request, hashes)}
    AND ((n.status = 'PENDING' AND n.expires_at > now()) OR ${isNotCountingSql('n')}
      OR (n.status = 'DENIED' AND (n.resolved_at > now() - make_interval(hours => ${hours}) OR ${hasOpenRevision('n')})))
    AND (${request}.allowed_at IS NULL OR ${request}.allowed_at <= coalesce(n.resolved_at, n.created_at))
    AND NOT EXISTS (
      SELECT FROM actions later
      WHERE later.agent_id = n.agent_id AND later.target_hash = n.target_hash
        AND (later.denial_hashes @> n.denial_hashes OR later.denial_hashes @> string_to_array(${hashes}, ','))
        AND later.resolved_at > n.resolved_at AND later.status <> 'DENIED' AND NOT ${isNotCountingSql('later')}))`;
