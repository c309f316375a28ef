/** The short form of `npm run test:chaos -- --only=faults`. */
import { upstreamFaults } from '../../../../test/chaos/upstream-faults.mjs';
import { createDatabase } from '../support/start-app.js';

it('answers what the specification says to every fault of upstream and model', async () => {
  const report = await upstreamFaults({ databaseUrl: await createDatabase(), times: 8, slow: false });
  expect(report.failed).toEqual([]);
}, 120_000);
