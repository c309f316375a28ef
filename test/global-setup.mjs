/**
 * One temporary PostgreSQL for a whole Jest run; each test file creates its own database in it. If `TEST_DATABASE_URL`
 * (of a superuser, on a server where databases may be left behind) is set, that server is used instead.
 */
import process from 'node:process';
import { startPostgres } from '../scripts/lib/postgres.mjs';

/** Shared by the projects that name this file, and with the teardown. */
const shared = /** @type {{testPostgres?: Promise<import('../scripts/lib/postgres.mjs').Postgres>}} */ (globalThis);

export default async function setup() {
  // A name of this run: a server of your own may hold the template of an earlier run, with an earlier schema.
  process.env.TEST_TEMPLATE ??= `template_${process.pid}_${Date.now()}`;
  if (process.env.TEST_DATABASE_URL && !shared.testPostgres) return;
  shared.testPostgres ??= startPostgres({ durable: false });
  // Jest starts its workers later, and they inherit it.
  process.env.TEST_DATABASE_URL = (await shared.testPostgres).url;
}
