import type { ServerResponse } from 'node:http';
import type { SavedCallback } from '#contracts';
import { AgentCallback, webhookId } from './support/agent-callback.js';
import { dumpDatabase } from './support/database-dump.js';

const hook = new AgentCallback();

describe('a receiver that fails', () => {
  it('gets the same event with the same id after growing delays, until the gateway gives up; then the owner can resend it', async () => {
    hook.receiver.answer((_call, response) => response.writeHead(500).end('a word that nobody keeps'));
    await hook.gateway.deny(await hook.hold());
    let last = await hook.delivery(({ attempts, lastError }) => attempts === 1 && lastError !== null);
    expect(last).toMatchObject({ state: 'pending', lastStatus: 500, lastError: 'answered 500' });
    const waits: number[] = [];
    for (let attempt = 2; attempt <= 7; attempt++) {
      waits.push((Date.parse(last.nextAttemptAt!) - Date.parse(last.lastAttemptAt!)) / 60_000);
      last = await hook.nextAttempt(attempt);
    }
    [5 / 60, 1, 5, 30, 120, 480].forEach((wait, index) => {
      // Allows a fifth of jitter, and the time that a busy machine needs for the attempt itself.
      expect(waits[index]).toBeGreaterThanOrEqual(wait * 0.8);
      expect(waits[index]).toBeLessThan(wait * 1.2 + 0.5);
    });
    expect(last).toMatchObject({ state: 'failed', attempts: 7, nextAttemptAt: null });
    expect([new Set(hook.calls.map(webhookId)).size, hook.calls.length]).toEqual([1, 7]);
    expect(new Set(hook.calls.map(({ body }) => body.toString())).size).toBe(1);
    // Each attempt has a signature of its own time.
    await expect(hook.open(hook.calls[6])).resolves.toMatchObject({ type: 'action.denied' });
    await expect(hook.open(hook.calls[0])).rejects.toThrow('too far');
    const tables = await dumpDatabase((sql) => hook.gateway.app.database.query<Record<string, unknown>[]>(sql));
    expect(JSON.stringify(tables)).not.toContain('a word that nobody keeps');

    hook.receiver.answer((_call, response) => response.writeHead(200).end());
    await hook.gateway.admin(`POST ${hook.route}/deliveries/${last.id}/redeliver`);
    expect(await hook.delivery(({ state }) => state === 'delivered')).toMatchObject({
      id: last.id,
      attempts: 1,
      lastError: null,
    });
    expect(webhookId((await hook.received(8))[7])).toBe(last.id);
  });

  it('gets another attempt soon after a single failure', async () => {
    hook.receiver.answer((_call, response) => response.writeHead(hook.calls.length === 1 ? 503 : 200).end());
    await hook.sendTest();
    await hook.delivery(({ attempts, lastError }) => attempts === 1 && lastError !== null);
    await hook.gateway.app.advance({ seconds: 7 });
    hook.look();
    expect(await hook.delivery(({ state }) => state === 'delivered')).toMatchObject({ attempts: 2, lastStatus: 200 });
  });

  it('gets the next attempt after its Retry-After, within limits', async () => {
    hook.receiver.answer((_call, response) => response.writeHead(429, { 'Retry-After': '900' }).end());
    await hook.sendTest();
    const put = await hook.delivery(({ lastError }) => lastError !== null);
    const waitMs = Date.parse(put.nextAttemptAt!) - Date.parse(put.lastAttemptAt!);
    expect(waitMs).toBeGreaterThanOrEqual(900_000);
    expect(waitMs).toBeLessThan(960_000);
  });

  it('has 10 s to answer, does not delay other agents, and gets another attempt', async () => {
    const other = await hook.gateway.createAgent('other-bot', [hook.gateway.service.id]);
    const route = `/agents/${other.agent.id}/callback`;
    const others = () => hook.receiver.calls.filter((call) => call.path === '/other');
    hook.receiver.answer((call, response) => void (call === hook.calls[0] || response.writeHead(204).end()));
    await hook.gateway.admin(`PUT ${route}`, { url: `${hook.receiver.url}/other` });
    await hook.sendTest();
    await hook.received(1);
    await hook.gateway.deny(await hook.hold());
    await hook.gateway.admin(`POST ${route}/test`);
    await hook.eventually(() => others().length === 1);
    // The next delivery for the agent of the hanging receiver waits for the first one.
    expect(hook.calls).toHaveLength(1);
    const test = await hook.eventually(async () => {
      const found = (await hook.deliveries()).find(({ type }) => type === 'callback.test')!;
      return found.lastError !== null && found;
    });
    expect(test).toMatchObject({ state: 'pending', lastStatus: null, lastError: 'no complete response within 10s' });
    await hook.gateway.app.advance({ seconds: 60 });
    hook.look();
    await hook.eventually(async () => (await hook.deliveries()).every(({ state }) => state === 'delivered'));
    expect(new Set(hook.calls.map(webhookId)).size).toBe(2);
    await hook.gateway.admin(`DELETE /agents/${other.agent.id}`);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['has more than 1 MB', (response) => response.end(Buffer.alloc(2 * 1024 * 1024))],
    ['breaks off', (response) => response.write('x', () => response.destroy())],
  ])('that accepts the event gets it once, even if the rest of its answer %s', async (_rest, answerRest) => {
    hook.receiver.answer((_call, response) => {
      response.writeHead(200, { 'Content-Length': 2 * 1024 * 1024 });
      answerRest(response);
    });
    await hook.sendTest();
    expect(await hook.delivery(({ state }) => state === 'delivered')).toMatchObject({ attempts: 1, lastStatus: 200 });
    expect(hook.calls).toHaveLength(1);
  });

  it('cannot redirect a delivery', async () => {
    const before = hook.gateway.upstream.calls.length;
    hook.receiver.answer((_call, response) =>
      response.writeHead(307, { Location: `${hook.gateway.upstream.url}/inside` }).end(),
    );
    await hook.sendTest();
    expect(await hook.delivery(({ lastError }) => lastError !== null)).toMatchObject({
      state: 'pending',
      lastStatus: 307,
      lastError: 'answered 307: redirects are not followed',
    });
    expect(hook.gateway.upstream.calls).toHaveLength(before);
  });

  it('disables the callback when it is gone, and pending deliveries are not sent', async () => {
    hook.receiver.answer((_call, response) => response.writeHead(500).end());
    await hook.gateway.deny(await hook.hold());
    await hook.delivery(({ lastError }) => lastError !== null);
    hook.receiver.answer((_call, response) => response.writeHead(410).end());
    await hook.sendTest();
    await hook.eventually(async () => !(await hook.stored()).enabled);
    expect(await hook.stored()).toMatchObject({ disabledReason: 'The receiver answered 410 Gone' });
    expect((await hook.deliveries()).map(({ type, state, lastError }) => [type, state, lastError]).sort()).toEqual([
      ['action.denied', 'failed', 'The receiver answered 410 Gone'],
      ['callback.test', 'failed', 'answered 410'],
    ]);
    await hook.gateway.deny(await hook.hold());
    expect(await hook.deliveries()).toHaveLength(2);
    const [record] = await hook.gateway.audit('&kind=change&q=callback.disabled');
    expect(record).toMatchObject({ reason: 'callback.disabled', actor: { id: null, name: 'Agent Gateway' } });
    const [{ id }] = await hook.deliveries();
    for (const route of ['test', `deliveries/${id}/redeliver`]) {
      expect(await hook.gateway.tryAdmin(`POST ${hook.route}/${route}`)).toMatchObject({
        status: 409,
        body: { error: 'Callback is disabled' },
      });
    }
    const { url } = await hook.stored();
    const saved = await hook.gateway.admin<SavedCallback>(`PUT ${hook.route}`, { url });
    expect(saved).toMatchObject({ secret: null, callback: { enabled: true, disabledReason: null } });
    hook.receiver.answer((_call, response) => response.writeHead(204).end());
    await hook.sendTest();
    expect(await hook.delivery(({ state }) => state === 'delivered')).toBeDefined();
  });
});

const UNLISTED = 'Callbacks to nowhere.invalid are not allowed; ask the owner of this agent';

describe('where callbacks may go', () => {
  it.each([
    ['not a URL', 400, 'url: must be a valid URL'],
    ['ftp://example.com/', 400, 'Only HTTP and HTTPS protocols are allowed'],
    ['http://example.com/hook', 400, 'url: must be an https URL'],
    ['https://user:password@example.com/', 400, 'url: must not contain user information'],
    ['https://nowhere.invalid/', 400, 'url: host name could not be resolved'],
    ['https://127.0.0.1/', 403, 'Access to private IP ranges is forbidden'],
    ['https://10.1.2.3/hook', 403, 'Access to private IP ranges is forbidden'],
    ['https://[::1]/', 403, 'Access to private IP ranges is forbidden'],
    ['https://2130706433/', 403, 'Access to private IP ranges is forbidden'],
    ['https://169.254.169.254/latest/meta-data', 403, 'Access to private IP ranges is forbidden'],
    ['https://localhost/', 403, 'Access to localhost is forbidden'],
  ])('not to %s', async (url, status, error) => {
    const before = await hook.stored();
    expect(await hook.gateway.tryAdmin(`PUT ${hook.route}`, { url })).toMatchObject({ status, body: { error } });
    const byAgent = await hook.gateway.agentCall('PUT', '/agent/callback', JSON.stringify({ url }), {
      'Content-Type': 'application/json',
    });
    // The gateway looks up no name for an agent before its owner has listed the host.
    const expected = url.includes('nowhere') ? [403, UNLISTED] : [status, error];
    expect([byAgent.status, byAgent.json().error]).toEqual(expected);
    expect(await hook.stored()).toEqual(before);
  });

  it('not to a private address, even when it was registered and listed while that was allowed', async () => {
    for (const [url, error] of [
      [
        hook.gateway.upstream.url.replace('http:', 'https:').replace(/\d+$/, '9'),
        'Access to private IP ranges is forbidden',
      ],
      ['http://example.com/', 'url: must be an https URL'],
    ]) {
      await hook.gateway.app.database.query('UPDATE callbacks SET url = $1', [url]);
      await hook.gateway.app.database.query('UPDATE agents SET callback_hosts = $1', [[new URL(url).host]]);
      await hook.sendTest();
      expect(await hook.delivery(({ lastError }) => lastError !== null)).toMatchObject({
        lastStatus: null,
        lastError: error,
      });
      await hook.gateway.app.database.query('DELETE FROM callback_deliveries');
    }
  });
});
