/** The short form of `npm run test:chaos -- --only=rolling`. */
import { rolling } from '../../../../test/chaos/rolling.mjs';
import { createDatabase } from '../support/databases.js';

it('fails no request when it is restarted behind a balancer', async () => {
  const report = await rolling({ databaseUrl: await createDatabase(), restarts: 2 });
  expect(report.failed).toEqual([]);
});
