/**
 * What the gateway sets in each of its sessions. A server, a database and a role can have other defaults: for example, one
 * that writes dates in a way that the driver can't read. They are statements, not parameters of the start packet, because
 * PgBouncer refuses most of those.
 */

/** In milliseconds; 0: no limit. */
export interface SessionLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

export const UNLIMITED: SessionLimits = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

/** How values are written and read, and what a transaction promises. docs/adr/0062-database-sessions.md says what is missing. */
const FIXED: Record<string, string> = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  xmloption: 'content',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  exit_on_error: 'off',
  // Not in every supported version of PostgreSQL.
  idle_session_timeout: '0',
  transaction_timeout: '0',
};

/**
 * One statement, so that it costs one round trip for each connection. A setting that this server does not know stays out.
 * `synchronous_commit` changes only if it is off: an answered request must survive a crash, and the other values keep more.
 */
export function sessionStatement(limits: SessionLimits): string {
  const wanted = Object.entries({
    ...FIXED,
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs),
  });
  const rows = wanted.map(([name, value]) => `('${name}', '${value}')`).join(', ');
  return `SELECT set_config(name, value, false) FROM (VALUES ${rows}) AS wanted (name, value)
    WHERE current_setting(name, true) IS NOT NULL
    UNION ALL SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;
}
