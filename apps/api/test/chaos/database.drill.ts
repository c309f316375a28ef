/** The short form of `npm run test:chaos -- --only=database`. */
import { database } from '../../../../test/chaos/database.mjs';
import { createDatabase } from '../support/databases.js';

it('returns 503 while the database is unavailable, forwards nothing unrecorded, and recovers', async () => {
  const report = await database({ databaseUrl: await createDatabase(), outageMs: 2500 });
  expect(report.failed).toEqual([]);
});
