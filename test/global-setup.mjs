/**
 * One temporary PostgreSQL for a whole Jest run; each test file creates a database of its own in it.
 * `TEST_DATABASE_URL` (a superuser's, on a server that may be littered) is used instead where it is set.
 */
import process from 'node:process';
import { startPostgres } from '../scripts/lib/postgres.mjs';

/** Shared by the projects that name this file, and with the teardown. */
const shared = /** @type {{testPostgres?: Promise<import('../scripts/lib/postgres.mjs').Postgres>}} */ (globalThis);

export default async function setup() {
  if (process.env.TEST_DATABASE_URL && !shared.testPostgres) return;
  shared.testPostgres ??= startPostgres({ durable: false });
  // Workers are started later and inherit it.
  process.env.TEST_DATABASE_URL = (await shared.testPostgres).url;
}
