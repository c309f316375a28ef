/** The short form of `npm run test:chaos -- --only=faults`. */
import { upstreamFaults } from '../../../../test/chaos/upstream-faults.mjs';
import { createDatabase } from '../support/databases.js';

it('answers every fault of upstream and model as specified', async () => {
  const report = await upstreamFaults({ databaseUrl: await createDatabase(), times: 8, slow: false });
  expect(report.failed).toEqual([]);
});
