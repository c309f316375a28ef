import type { Agent, Callback, SavedCallback } from '#contracts';
import { CallbackHosts1763800100000 } from '../../../libs/database/src/migrations/1763800100000-callback-hosts.js';
import { AgentCallback } from './support/agent-callback.js';
import { openEvents } from './support/event-stream.js';

const hook = new AgentCallback();

const read = () => hook.gateway.admin<Agent>(`GET /agents/${hook.gateway.agent.id}`);
const list = (callbackHosts: string[]) =>
  hook.gateway.admin<Agent>(`PUT /agents/${hook.gateway.agent.id}`, { callbackHosts });
const byAgent = (method: string, path: string, body?: object) =>
  hook.gateway.agentCall(
    method,
    `/agent/callback${path}`,
    body && JSON.stringify(body),
    body ? { 'Content-Type': 'application/json' } : {},
  );
const registers = (url: string) => byAgent('PUT', '', { url });
const refusal = (host: string) => `Callbacks to ${host} are not allowed; ask the owner of this agent`;

describe('an agent', () => {
  it('registers only hosts that its owner has listed; another host becomes a suggestion', async () => {
    await list([]);
    const events = await openEvents(hook.gateway.url, hook.gateway.token);
    const host = hook.receiver.hostAndPort;
    for (const url of [`${hook.receiver.url}/mine`, 'https://Elsewhere.example.com/x', `${hook.receiver.url}/mine`]) {
      const answer = await registers(url);
      const asked = new URL(url).host;
      expect([answer.status, answer.json()]).toEqual([403, { error: refusal(asked), statusCode: 403 }]);
      expect(answer.headers.get('x-error-code')).toBe('callback_host_not_allowed');
      expect(await read()).toMatchObject({ callbackHosts: [], callbackRequestedHost: asked });
    }
    await events.next((event) => event.type === 'agent.updated' && event.id === hook.gateway.agent.id);
    events.close();
    expect(hook.receiver.calls.filter(({ path }) => path === '/mine')).toEqual([]);

    expect(await list([host])).toMatchObject({ callbackHosts: [host], callbackRequestedHost: null });
    const made = (await registers(`${hook.receiver.url}/mine`)).json<SavedCallback>();
    expect(made.callback).toMatchObject({ url: `${hook.receiver.url}/mine`, isHostListed: true });
  });

  it('creates no suggestion for a host that is never allowed', async () => {
    await list([]);
    for (const url of ['https://10.1.2.3/', 'https://localhost/', 'http://example.com/', 'nonsense']) {
      expect([400, 403]).toContain((await registers(url)).status);
    }
    expect((await read()).callbackRequestedHost).toBeNull();
  });

  it('reaches no private address through a listed host: no target of the operator and no address of the gateway', async () => {
    const { hostAndPort, url } = hook.gateway.upstream;
    await list([hostAndPort, '10.1.2.3']);
    const before = hook.gateway.upstream.connections;
    for (const target of [url.replace('http:', 'https:'), 'https://10.1.2.3/']) {
      const answer = await registers(target);
      expect([answer.status, answer.json().error]).toEqual([403, 'Access to private IP ranges is forbidden']);
    }
    expect(hook.gateway.upstream.connections).toBe(before);
  });
});

describe('the owner', () => {
  it('lists a host by registering a callback there', async () => {
    await list([]);
    await registers(`${hook.receiver.url}/mine`);
    await hook.gateway.admin(`PUT ${hook.route}`, { url: `${hook.receiver.url}/owners` });
    expect(await read()).toMatchObject({ callbackHosts: [hook.receiver.hostAndPort], callbackRequestedHost: null });
  });

  it('declines a suggestion by saving the list without it', async () => {
    await list(['agent.example.com']);
    await registers('https://elsewhere.example.com/');
    expect(await list(['agent.example.com'])).toMatchObject({ callbackRequestedHost: null });
  });

  it('lists hosts as URLs spell them, without duplicates', async () => {
    const { callbackHosts } = await list(['Agent.Example.com', 'agent.example.com', 'bücher.example:8443']);
    expect(callbackHosts).toEqual(['agent.example.com', 'xn--bcher-kva.example:8443']);
    const [record] = await hook.gateway.audit('&kind=change&q=agent.updated');
    expect(record.details).toMatchObject({ to: { callbackHosts } });
  });

  it.each([
    [['*.example.com'], 'callbackHosts.0: must be a host or host:port'],
    [['a.example', 'https://b.example/'], 'callbackHosts.1: must be a host or host:port'],
    ['a.example', expect.stringMatching(/^callbackHosts: /)],
    [[1], expect.stringMatching(/^callbackHosts: /)],
    [Array.from({ length: 51 }, (_, n) => `${n}.example`), expect.stringMatching(/^callbackHosts: /)],
    [null, expect.stringMatching(/^callbackHosts: /)],
  ])('can’t list %j', async (callbackHosts, error) => {
    const before = await read();
    const answer = await hook.gateway.tryAdmin(`PUT /agents/${before.id}`, { callbackHosts });
    expect(answer.body).toEqual({ error, statusCode: 400 });
    expect(await read()).toMatchObject({ callbackHosts: before.callbackHosts });
  });
});

describe('a delivery', () => {
  it('is not sent to a host that was removed from the list, and is sent after the host is listed again', async () => {
    await list([]);
    expect((await hook.stored()).isHostListed).toBe(false);
    await hook.gateway.deny(await hook.hold());
    const waiting = await hook.delivery(({ lastError }) => lastError !== null);
    expect(waiting).toMatchObject({
      state: 'pending',
      lastStatus: null,
      lastError: refusal(hook.receiver.hostAndPort),
    });
    const test = await hook.gateway.tryAdmin(`POST ${hook.route}/test`);
    expect(test.body).toEqual({ error: refusal(hook.receiver.hostAndPort), statusCode: 403 });
    expect((await byAgent('POST', '/test')).status).toBe(403);
    expect(hook.calls).toEqual([]);

    await list([hook.receiver.hostAndPort]);
    await hook.gateway.app.advance({ minutes: 1 });
    hook.look();
    expect(await hook.delivery(({ state }) => state === 'delivered')).toMatchObject({ id: waiting.id, attempts: 2 });
    expect(hook.calls).toHaveLength(1);
  });
});

it('the migration disables existing callbacks, and turns their hosts into suggestions', async () => {
  const runner = hook.gateway.app.database.createQueryRunner();
  const migration = new CallbackHosts1763800100000();
  await migration.down(runner);
  await migration.up(runner);
  await runner.release();
  expect(await read()).toMatchObject({ callbackHosts: [], callbackRequestedHost: hook.receiver.hostAndPort });
  await hook.gateway.deny(await hook.hold());
  await hook.delivery(({ lastError }) => lastError !== null);
  expect(hook.calls).toEqual([]);
  const { callback } = await hook.gateway.admin<{ callback: Callback }>(`GET ${hook.route}`);
  expect(callback).toMatchObject({ enabled: true, isHostListed: false });
});
