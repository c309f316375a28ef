import { isNativeError } from 'node:util/types';
import { sqlState } from '#database';

/** Socket error codes for a server that can't be reached. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/**
 * SQLSTATE classes in which the statement did not run because of the server's state, not because of the statement:
 * connection (08), insufficient resources (53), operator intervention (57: shutdown, cancelled by timeout), system
 * (58), conflicts that remained after all retries (40), lock timeout (55P03), read-only after a failover (25006).
 */
const STATES = /^(08|40|53|57|58)|^(55P03|25006)$/;

/** TypeORM's error names for a connection that broke during a transaction or never existed. */
const NAMES = new Set([
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
  'TransactionNotStartedError',
  'CannotExecuteNotConnectedError',
  'CannotGetEntityManagerNotConnectedError',
  'ConnectionIsNotSetError',
]);

const TEXTS =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected|Connection ended unexpectedly)/i;

/**
 * Whether the error means that the database is unavailable, and not that the statement is wrong. The response is then
 * 503 (docs/reference/http.md#database-unavailable).
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  // Not `instanceof`: a socket error can come from another realm, as it does under Jest.
  if (!isNativeError(thrown)) return false;
  const { driverError, syscall } = thrown as { driverError?: unknown; syscall?: unknown };
  const state = sqlState(thrown);
  if (state !== undefined && STATES.test(state)) return true;
  if (isNativeError(driverError) && driverError !== thrown) return isDatabaseUnavailable(driverError);
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string' && SOCKET_CODES.has(code) && syscall !== undefined) return true;
  return NAMES.has(thrown.name) || TEXTS.test(thrown.message);
}
