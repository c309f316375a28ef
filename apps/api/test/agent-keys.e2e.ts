import type { Agent, RotateKeyResponse } from '#contracts';
import { AgentDirectory } from '../src/agents/agent-directory.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

/** Two instances on one database, behind a proxy that tells the client's address. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  // The tests move the clocks, and the administrator stays logged in.
  const settings = {
    TRUST_PROXY: 'true',
    JWT_ACCESS_EXPIRY: '365d',
    JWT_REFRESH_EXPIRY: '365d',
    SESSION_MAX_DAYS: '3650',
  };
  a = await startGateway(settings);
  b = await a.secondInstance(settings);
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});
beforeEach(() => {
  a.model.answer({ score: 0 });
  a.upstream.answer((_call, response) => response.end('{}'));
});

const made = async (): Promise<{ agent: Agent; key: string }> => {
  const { agent, apiKey } = await a.createAgent('bot', [a.service.id]);
  return { agent: agent as Agent, key: apiKey };
};
const rotate = (id: number, graceMinutes?: number) =>
  a.admin<RotateKeyResponse>(
    `POST /agents/${id}/rotate-key`,
    graceMinutes === undefined ? undefined : { graceMinutes },
  );
const ask = (gateway: Gateway, key: string, from = '192.0.2.1') =>
  gateway.proxy({}, { 'Agent-Key': key, 'X-Forwarded-For': from });
const told = ({ status, json }: ProxyAnswer) => [status, json<{ error?: string }>().error];
const OK = [200, undefined];
const UNKNOWN = [401, 'Invalid Agent-Key'];

describe('a key that was rotated with a grace time', () => {
  it('works beside the new one on every instance until the time is over, and its last use is shown', async () => {
    const { agent, key } = await made();
    expect(told(await ask(b, key))).toEqual(OK);
    const { apiKey, agent: rotated } = await rotate(agent.id, 15);
    expect(rotated.previousKey).toMatchObject({ keyPrefix: key.slice(0, 12) });
    const { expiresAt } = rotated.previousKey!;
    expect(expiresAt).toBe(new Date(expiresAt).toISOString());
    for (const gateway of [a, b]) {
      expect(told(await ask(gateway, key))).toEqual(OK);
      expect(told(await ask(gateway, apiKey))).toEqual(OK);
    }
    await Promise.all([a.app.settled(), b.app.settled()]);
    const { previousKey, lastUsedAt } = await a.admin<Agent>(`GET /agents/${agent.id}`);
    expect(Date.parse(previousKey!.lastUsedAt!)).toBeGreaterThanOrEqual(Date.parse(rotated.keyCreatedAt));
    expect(lastUsedAt).not.toBeNull();

    a.app.clock.advance({ minutes: 16 });
    await b.app.advance({ minutes: 16 });
    for (const gateway of [a, b]) {
      expect(told(await ask(gateway, key))).toEqual(UNKNOWN);
      expect(told(await ask(gateway, apiKey))).toEqual(OK);
    }
    expect((await a.admin<Agent>(`GET /agents/${agent.id}`)).previousKey).toBeNull();
    expect(await a.app.app.get(AgentDirectory).purgeEndedKeys()).toBeGreaterThan(0);
  });

  it('expires with the next rotation without a grace time, and so do all earlier keys', async () => {
    const { agent, key } = await made();
    const { apiKey: second } = await rotate(agent.id, 60);
    const { apiKey: third } = await rotate(agent.id, 60);
    for (const each of [key, second, third]) expect(told(await ask(b, each))).toEqual(OK);
    const { apiKey: last, agent: after } = await rotate(agent.id);
    expect(after.previousKey).toBeNull();
    for (const each of [key, second, third]) expect(told(await ask(b, each))).toEqual(UNKNOWN);
    expect(told(await ask(b, last))).toEqual(OK);
  });

  it('is refused from the next request on every instance when the owner revokes it, and the new key still works', async () => {
    const { agent, key } = await made();
    const { apiKey: second } = await rotate(agent.id, 60);
    const { apiKey: current } = await rotate(agent.id, 60);
    for (const gateway of [a, b]) for (const each of [key, second]) expect(told(await ask(gateway, each))).toEqual(OK);
    const route = `DELETE /agents/${agent.id}/previous-keys`;
    expect((await a.admin<Agent>(route)).previousKey).toBeNull();
    for (const gateway of [b, a]) {
      for (const each of [key, second]) expect(told(await ask(gateway, each))).toEqual(UNKNOWN);
      expect(told(await ask(gateway, current))).toEqual(OK);
    }
    // Nothing is left to end, so the second call leaves no record.
    await b.admin(route);
    const ends = (await a.audit(`&agentId=${agent.id}&kind=change`)).filter(
      ({ reason }) => reason === 'agent.previous_keys_ended',
    );
    expect(ends.map(({ details }) => (details as { keyPrefixes: string[] }).keyPrefixes.sort())).toEqual([
      [key.slice(0, 12), second.slice(0, 12)].sort(),
    ]);
  });

  it('is one of at most five: one more rotation revokes the oldest', async () => {
    const { agent, key } = await made();
    const keys = [key];
    for (let i = 0; i < 6; i++) keys.push((await rotate(agent.id, 60)).apiKey);
    const answers = await Promise.all(keys.map((each) => ask(a, each)));
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 200, 200, 200, 200, 200]);
  });

  it('is redacted and refused like the new one', async () => {
    const { agent, key } = await made();
    const { apiKey } = await rotate(agent.id, 60);
    for (const each of [key, apiKey]) await ask(a, each);
    a.upstream.answer((_call, response) => response.end(JSON.stringify({ key, apiKey })));
    for (const each of [key, apiKey]) {
      const answer = await ask(a, each);
      expect(answer.json()).toEqual({ key: '[REDACTED]', apiKey: '[REDACTED]' });
      const body = { method: 'POST', body: each, idempotencyKey: each.slice(4, 20) };
      expect((await a.proxy(body, { 'Agent-Key': apiKey })).status).toBe(400);
    }
  });

  it('leaves a record for the owner when it is used after its time', async () => {
    const { agent, key } = await made();
    await rotate(agent.id, 1);
    await a.app.database.query(`UPDATE previous_agent_keys SET expires_at = now() WHERE agent_id = $1`, [agent.id]);
    expect(told(await ask(a, key))).toEqual(UNKNOWN);
    expect((await a.audit(`&agentId=${agent.id}`))[0]).toMatchObject({
      outcome: 'refused',
      reason: 'Invalid Agent-Key',
    });
  });

  it('works during rotations and requests at once on two instances: no request fails, one key is current, all others are previous', async () => {
    const { agent, key } = await made();
    let current = key;
    const failed: unknown[] = [];
    let running = true;
    const lanes = [a, b, a, b].map(async (gateway) => {
      while (running) {
        const answer = await ask(gateway, current);
        // If its own agent changes four times within one request, the gateway asks to try again.
        if (answer.status !== 200 && answer.status !== 503) failed.push(told(answer));
      }
    });
    for (let round = 0; round < 4; round++) {
      const both = await Promise.all([
        rotate(agent.id, 60),
        b.admin<RotateKeyResponse>(`POST /agents/${agent.id}/rotate-key`, { graceMinutes: 60 }),
      ]);
      const { keyPrefix } = await a.admin<Agent>(`GET /agents/${agent.id}`);
      const winners = both.filter(({ apiKey }) => apiKey.startsWith(keyPrefix));
      expect(winners).toHaveLength(1);
      for (const { apiKey } of both) expect(told(await ask(b, apiKey))).toEqual(OK);
      current = winners[0].apiKey;
    }
    running = false;
    await Promise.all(lanes);
    expect(failed).toEqual([]);
  });

  it.each([
    [-1, /^graceMinutes: /],
    [43_201, /^graceMinutes: /],
    [1.5, /^graceMinutes: /],
    ['15', /^graceMinutes: /],
    [null, /^graceMinutes: /],
  ])('cannot have a grace of %j minutes', async (graceMinutes, error) => {
    const { agent, key } = await made();
    const answer = await a.tryAdmin(`POST /agents/${agent.id}/rotate-key`, { graceMinutes });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
    expect(told(await ask(a, key))).toEqual(OK);
  });
});

describe('a key that expires after a few days', () => {
  it('expires on every instance, cached or not, and works again after a rotation', async () => {
    const { agent, key } = await made();
    const limited = await a.admin<Agent>(`PUT /agents/${agent.id}`, { keyLifetimeDays: 30 });
    expect(Date.parse(limited.keyExpiresAt!) - Date.parse(limited.keyCreatedAt)).toBe(30 * 86_400_000);
    for (const gateway of [a, b]) expect(told(await ask(gateway, key))).toEqual(OK);
    a.app.clock.advance({ hours: 30 * 24 });
    await b.app.advance({ hours: 30 * 24 });
    for (const gateway of [a, b]) expect(told(await ask(gateway, key))).toEqual([401, 'Agent key has expired']);
    const { apiKey, agent: rotated } = await rotate(agent.id, 60);
    // The old key had ended already.
    expect(rotated.previousKey).toBeNull();
    for (const gateway of [a, b]) expect(told(await ask(gateway, apiKey))).toEqual(OK);
    expect((await a.admin<Agent>(`PUT /agents/${agent.id}`, { keyLifetimeDays: null })).keyExpiresAt).toBeNull();
  });
});

describe('a key with addresses', () => {
  const refused = (address: string) => [
    403,
    `This agent key may not be used from ${address}; ask the owner of this agent`,
  ];

  it('works only from them, from the next request on every instance, and refusals are recorded', async () => {
    const { agent, key } = await made();
    for (const gateway of [a, b]) expect(told(await ask(gateway, key, '198.51.100.7'))).toEqual(OK);
    await a.admin(`PUT /agents/${agent.id}`, { addresses: ['192.0.2.0/24', '2001:db8::/32'] });
    for (const gateway of [a, b]) {
      expect(told(await ask(gateway, key, '198.51.100.7'))).toEqual(refused('198.51.100.7'));
      expect(told(await ask(gateway, key, '::ffff:198.51.100.7'))).toEqual(refused('198.51.100.7'));
      expect(told(await ask(gateway, key, 'nonsense'))).toEqual(refused('an unknown address'));
      for (const from of ['192.0.2.9', '::ffff:192.0.2.9', '2001:db8::5']) {
        expect(told(await ask(gateway, key, from))).toEqual(OK);
      }
    }
    expect((await a.audit(`&agentId=${agent.id}&outcome=refused`))[0]).toMatchObject({
      reason: expect.stringMatching(/^This agent key may not be used from /),
      status: 403,
    });
    const answer = await a.status('00000000-0000-4000-8000-000000000000', {
      'Agent-Key': key,
      'X-Forwarded-For': '198.51.100.7',
    });
    expect([told(answer), answer.headers.get('x-error-code')]).toEqual([
      refused('198.51.100.7'),
      'address_not_allowed',
    ]);

    await a.admin(`PUT /agents/${agent.id}`, { addresses: ['192.0.2.0/24', '198.51.100.7'] });
    for (const gateway of [b, a]) expect(told(await ask(gateway, key, '198.51.100.7'))).toEqual(OK);
    await a.admin(`PUT /agents/${agent.id}`, { addresses: [] });
    for (const gateway of [b, a]) expect(told(await ask(gateway, key, '203.0.113.1'))).toEqual(OK);
  });
});
