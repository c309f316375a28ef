/** The short form of `npm run test:chaos -- --only=notificationKills`. */
import { notificationKills } from '../../../../test/chaos/notification-kills.mjs';
import { createDatabase } from '../support/databases.js';

it('notifies people of held requests by push, mail and webhook, and agents of decisions, once, when it is killed while it sends', async () => {
  const databaseUrl = await createDatabase();
  const report = await notificationKills({ databaseUrl, kills: 4, workspaces: 8, perSecond: 8, pauseMs: 1500 });
  expect(report.failed).toEqual([]);
});
