/**
 * The settings that the gateway applies to each of its sessions, because a server, a database or a role can have other
 * defaults. For example, a default can write dates in a way that the driver can't read. The gateway sends them as a
 * statement and not as parameters of the start packet, because PgBouncer refuses most of those.
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
 * One statement, so that it costs one round trip for each connection. It leaves out settings that this server does not
 * know. It changes `synchronous_commit` only if it is off, because an answered request must survive a crash. The other
 * values are choices about replicas.
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
