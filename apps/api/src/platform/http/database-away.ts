import { isNativeError } from 'node:util/types';
import { sqlState } from '#database';

/** Sockets' own words for a server that is not there. */
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
 * SQLSTATE classes in which the statement did not run and the fault is the server's state, not the statement's: connection
 * (08), insufficient resources (53), operator intervention (57: shutdown, cancelled by timeout), system (58), conflicts
 * that outlasted their retries (40), lock timeout (55P03), read-only after a failover (25006).
 */
const STATES = /^(08|40|53|57|58)|^(55P03|25006)$/;

/** TypeORM's names for a connection that broke in the middle of a transaction, or was never there. */
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
 * Whether the database is away rather than the statement wrong: then the answer is 503
 * (docs/reference/http.md#database-away).
 */
export function isDatabaseAway(thrown: unknown): boolean {
  // Not by instanceof: a socket's error may be of another realm than ours, as it is under Jest.
  if (!isNativeError(thrown)) return false;
  const { driverError, syscall } = thrown as { driverError?: unknown; syscall?: unknown };
  const state = sqlState(thrown);
  if (state !== undefined && STATES.test(state)) return true;
  if (isNativeError(driverError) && driverError !== thrown) return isDatabaseAway(driverError);
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string' && SOCKET_CODES.has(code) && syscall !== undefined) return true;
  return NAMES.has(thrown.name) || TEXTS.test(thrown.message);
}
