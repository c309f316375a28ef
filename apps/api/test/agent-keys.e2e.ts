import { randomUUID } from 'node:crypto';
import type { RotateKeyResponse } from '#contracts';
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
  app = await startApp();
  other = await startApp({ DATABASE_URL: app.databaseUrl });
  ada = await signUp(app, 'ada@example.com');
  serviceIds = [(await createService(app, ada)).id];
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const directory = (of: TestApp = app): AgentDirectory => of.app.get(AgentDirectory, { strict: false });
const status = (key: string | undefined, of: TestApp = app) =>
  call(of, `GET /status/${randomUUID()}`, { headers: key === undefined ? {} : { 'Agent-Key': key } });

describe('agent keys', () => {
  it('are checked in the order of docs/reference/agent-api.md#authentication', async () => {
    const { agent, apiKey } = await createAgent(app, ada, serviceIds);
    for (const [key, error] of [
      [undefined, 'Missing Agent-Key header'],
      ['', 'Missing Agent-Key header'],
      ['sk_123', 'Invalid Agent-Key format'],
      [apiKey.toUpperCase(), 'Invalid Agent-Key format'],
      ['agt_', 'Invalid Agent-Key'],
      [`agt_${'0'.repeat(64)}`, 'Invalid Agent-Key'],
      [`${apiKey}0`, 'Invalid Agent-Key'],
    ] as const) {
      const answer = await status(key);
      expect([key, answer.status, answer.body]).toEqual([key, 401, { error, statusCode: 401 }]);
    }
    expect((await status(apiKey)).body.error).toBe('Action not found');
    await call(app, `PUT /agents/${agent.id}`, { token: ada, body: { isActive: false } });
    expect([(await status(apiKey)).status, (await status(apiKey)).body.error]).toEqual([
      401,
      'Agent key has been revoked',
    ]);
    await call(app, `PUT /agents/${agent.id}`, { token: ada, body: { isActive: true } });
    expect((await status(apiKey)).status).toBe(404);
  });

  it('are recorded in the audit log when used and when refused', async () => {
    const { agent, apiKey } = await createAgent(app, ada, serviceIds);
    await status(apiKey);
    await app.settled();
    expect((await getAgent(app, ada, agent.id)).lastUsedAt).toEqual(TIME);
    await status(`${agent.keyPrefix}${'0'.repeat(56)}`);
    await app.settled();
    const records = await app.database.query(
      `SELECT kind, outcome, workspace_id, agent_name, reason, status FROM audit_records WHERE agent_id = $1 AND outcome = 'refused'`,
      [agent.id],
    );
    expect(records).toEqual([
      {
        kind: 'request',
        outcome: 'refused',
        workspace_id: 1,
        agent_name: 'billing-bot',
        reason: 'Invalid Agent-Key',
        status: 401,
      },
    ]);
  });

  it('are replaced by rotation immediately, on every instance', async () => {
    const { agent, apiKey } = await createAgent(app, ada, serviceIds);
    await directory(other).byKey(apiKey);
    const { status: code, body } = await call<RotateKeyResponse>(app, `POST /agents/${agent.id}/rotate-key`, {
      token: ada,
    });
    expect([code, body]).toEqual([
      200,
      {
        agent: {
          ...agent,
          keyPrefix: body.apiKey.slice(0, 12),
          keyCreatedAt: TIME,
          lastUsedAt: null,
          updatedAt: TIME,
        },
        apiKey: expect.stringMatching(/^agt_[0-9a-f]{64}$/),
      },
    ]);
    expect(body.apiKey).not.toBe(apiKey);
    for (const instance of [app, other]) {
      expect((await status(apiKey, instance)).body.error).toBe('Invalid Agent-Key');
      expect((await status(body.apiKey, instance)).body.error).toBe('Action not found');
    }
  });

  it('leave exactly one valid key after parallel rotations', async () => {
    const { agent } = await createAgent(app, ada, serviceIds);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        call<RotateKeyResponse>(i % 2 ? app : other, `POST /agents/${agent.id}/rotate-key`, { token: ada }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    const good = await Promise.all(
      answers.map(({ body }) =>
        directory()
          .freshByKey(body.apiKey)
          .catch(() => null),
      ),
    );
    expect(good.filter(Boolean)).toHaveLength(1);
    expect(good.find(Boolean)!.key.slice(0, 12)).toBe((await getAgent(app, ada, agent.id)).keyPrefix);
  });
});
