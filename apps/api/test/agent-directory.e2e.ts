/** What an instance keeps of agents and their services: docs/reference/agent-api.md#authentication. */
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { call } from './support/accounts.js';
import { createAgent, createService, getAgent, signUp } from './support/resources.js';
import { startApp, type TestApp } from './support/start-app.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let app: TestApp;
let other: TestApp;
let ada: string;
let serviceIds: number[];
beforeAll(async () => {
  app = await startApp({ ALLOW_REGISTRATION: 'true' });
  other = await startApp({ ALLOW_REGISTRATION: 'true', DATABASE_URL: app.databaseUrl });
  ada = await signUp(app, 'ada@example.com');
  serviceIds = [(await createService(app, ada)).id, (await createService(app, ada, { name: 'Second' })).id];
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const directory = (of: TestApp = app): AgentDirectory => of.app.get(AgentDirectory, { strict: false });

it('keeps a view until a request reports it stale, and never restores an older one', async () => {
  const { agent, apiKey } = await createAgent(app, ada, serviceIds);
  const before = await directory(other).byKey(apiKey);
  expect(await directory(other).byKey(apiKey)).toBe(before);
  await call(app, `PUT /agents/${agent.id}`, { token: ada, body: { name: 'renamed' } });
  expect(await directory(other).byKey(apiKey)).toBe(before);
  const fresh = await directory(other).refresh(before);
  expect([before.name, fresh.name]).toEqual(['billing-bot', 'renamed']);
  expect(await directory(other).byKey(apiKey)).toBe(fresh);
  // Another request that reports the same stale view gets the view that is already loaded.
  expect(await directory(other).refresh(before)).toBe(fresh);
  expect(await directory(other).refresh(fresh)).not.toBe(fresh);
});

it.each([
  ['a service', (id: number) => call(app, `PUT /services/${id}`, { token: ada, body: { name: 'Changed' } })],
  [
    'its credentials',
    (id: number) =>
      call(app, `POST /services/${id}/credentials`, { token: ada, body: { credentials: { token: 'x' } } }),
  ],
  [
    'its rules',
    (id: number) => call(app, `POST /services/${id}/risk-rules`, { token: ada, body: { name: 'r', effect: 'deny' } }),
  ],
  [
    'its documentation',
    (id: number) =>
      call(app, `POST /services/${id}/documentation`, {
        token: ada,
        body: { type: 'text', title: 't', content: 'c' },
      }),
  ],
])('has a newer version of the service after a change of %s', async (_thing, change) => {
  const { id } = await createService(app, ada);
  const { apiKey } = await createAgent(app, ada, [id]);
  const before = await directory().freshByKey(apiKey);
  expect((await change(id)).status).toBeLessThan(300);
  const after = await directory().freshByKey(apiKey);
  expect(after.services[0].version).toBeGreaterThan(before.services[0].version);
  expect(after.services[0]).not.toEqual(before.services[0]);
});

it('loads once for parallel requests, and does not cache failures', async () => {
  const { agent, apiKey } = await createAgent(app, ada, serviceIds);
  const views = await Promise.all(Array.from({ length: 20 }, () => directory(other).byKey(apiKey)));
  expect(new Set(views).size).toBe(1);
  const unknown = `agt_${'1'.repeat(64)}`;
  await expect(directory().byKey(unknown)).rejects.toMatchObject({ statusCode: 401, message: 'Invalid Agent-Key' });
  await call(app, `PUT /agents/${agent.id}`, { token: ada, body: { isActive: false } });
  await expect(directory().byKey(apiKey)).rejects.toMatchObject({ message: 'Agent key has been revoked' });
  await call(app, `PUT /agents/${agent.id}`, { token: ada, body: { isActive: true } });
  expect((await directory().byKey(apiKey)).isActive).toBe(true);
});

it('stores the time of the last use at most once a second, for all agents together', async () => {
  const made = await Promise.all([1, 2, 3].map(() => createAgent(app, ada, serviceIds)));
  // After one second without use, the next use is written immediately.
  const views = await Promise.all(made.map(({ apiKey }) => directory().byKey(apiKey)));
  directory().touch(views[0]);
  await app.settled();
  const updates = jest.spyOn(app.database, 'query');
  for (let i = 0; i < 50; i++) views.forEach((view) => directory().touch(view));
  await app.settled();
  expect(updates.mock.calls.filter(([sql]) => sql.includes('last_used_at = '))).toHaveLength(1);
  updates.mockRestore();
  for (const { agent } of made) expect((await getAgent(app, ada, agent.id)).lastUsedAt).toEqual(TIME);
});
