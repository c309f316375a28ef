/** The short form of `npm run test:chaos -- --only=database`. */
import { database } from '../../../../test/chaos/database.mjs';
import { createDatabase } from '../support/start-app.js';

it('returns 503 in time while the database is away, forwards nothing unrecorded, and recovers', async () => {
  const report = await database({ databaseUrl: await createDatabase(), outageMs: 2500 });
  expect(report.failed).toEqual([]);
}, 120_000);
