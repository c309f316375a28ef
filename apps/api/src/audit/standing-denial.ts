/**
 * What makes two requests equal: agent, method, URL, headers and body. Intent, key and service don't count.
 * See docs/reference/states.md#equal-requests.
 */
export interface EqualRequest {
  /** SHA-256 hex. */
  hash: string;
  /** When the rule that allows the request was created, in milliseconds. Null: no rule allows it. */
  allowedAtMs: number | null;
}

/**
 * SQL over a row `request` with `agent_id`, `equal_hash` and `allowed_at`: an equal request waits for a decision, or was
 * denied within so many hours and not approved since. A later `allow` rule lifts the denial. The statement that writes the
 * record of a request contains this condition, so a denial applies from its commit on, on every instance.
 * See docs/reference/states.md#standing-denial.
 */
export const standingDenial = (request: string, hours: string): string => `EXISTS (
  SELECT FROM actions n
  WHERE n.agent_id = ${request}.agent_id AND n.equal_hash = ${request}.equal_hash
    AND ((n.status = 'PENDING' AND n.expires_at > now())
      OR (n.status = 'DENIED' AND n.resolved_at > now() - make_interval(hours => ${hours})))
    AND (${request}.allowed_at IS NULL OR ${request}.allowed_at <= coalesce(n.resolved_at, n.created_at))
    AND NOT EXISTS (
      SELECT FROM actions later
      WHERE later.agent_id = n.agent_id AND later.equal_hash = n.equal_hash
        AND later.resolved_at > n.resolved_at AND later.status <> 'DENIED'))`;
