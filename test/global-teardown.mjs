/** Stops the PostgreSQL of global-setup.mjs and removes its data. */
import process from 'node:process';

export default async function teardown() {
  const shared = /** @type {{testPostgres?: Promise<import('../scripts/lib/postgres.mjs').Postgres>}} */ (globalThis);
  if (!shared.testPostgres) return;
  const postgres = shared.testPostgres;
  delete shared.testPostgres;
  // In watch mode, the next run must start its own PostgreSQL.
  delete process.env.TEST_DATABASE_URL;
  await (await postgres).stop();
}
