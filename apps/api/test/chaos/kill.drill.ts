/** The short form of `npm run test:chaos -- --only=kill`. */
import { kill } from '../../../../test/chaos/kill.mjs';
import { createDatabase } from '../support/databases.js';

it('loses nothing and sends nothing twice when it is killed under load', async () => {
  const report = await kill({ databaseUrl: await createDatabase(), rounds: 2, waitForJob: false });
  expect(report.failed).toEqual([]);
});
