/** How a connection gets its next token. What happens if it gets none is in oauth-outages.e2e.ts. */
import type { Service } from '#contracts';
import { ConnectionsHousekeeping } from '../src/services/connections.schedule.js';
import { eventually } from './support/eventually.js';
import { CLIENT_SECRET, OAuthGateway } from './support/oauth-gateway.js';

const world = new OAuthGateway();

describe('a connection', () => {
  it('is renewed once, although 50 requests on two instances find it expired', async () => {
    await world.connected();
    await world.gateway.proxy();
    const old = world.tokens().at(-1);
    const second = await world.second();
    try {
      await second.proxy();
      // The clocks of two machines are never equal.
      second.app.clock.advance({ hours: 2, seconds: -5 });
      await world.gateway.app.advance({ hours: 2 });
      const [before, calls] = [await world.provider.requests(), world.gateway.upstream.calls.length];
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? world.gateway : second).proxy()),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
      const sent = world.tokens().slice(calls);
      expect([sent.length, new Set(sent).size]).toEqual([50, 1]);
      expect(sent[0]).not.toBe(old);
      expect(await world.provider.requests()).toBe(before + 1);
    } finally {
      await second.app.close();
    }
  });

  it('redacts the tokens before and after a renewal, also in an answer that began before it', async () => {
    const { id } = await world.connected();
    const { upstream } = world.gateway;
    let answerFirst = (_text: string): void => {};
    upstream.answer((_call, response) => {
      answerFirst = (text) => void response.end(text);
    });
    const before = upstream.calls.length;
    const first = world.gateway.proxy();
    await eventually(() => upstream.calls.length > before);
    const secrets = async () => {
      const { refreshToken } = await world.readSecrets(id);
      return [world.tokens().at(-1)!.slice('Bearer '.length), refreshToken];
    };
    const old = await secrets();
    upstream.answer((_call, response) => response.end('{}'));
    await world.gateway.app.advance({ hours: 2 });
    expect((await world.gateway.proxy()).status).toBe(200);
    const all = [...old, ...(await secrets()), CLIENT_SECRET];
    expect(new Set(all).size).toBe(5);
    answerFirst(JSON.stringify(all));
    expect((await first).json()).toEqual(all.map(() => '[REDACTED]'));
    upstream.answer((_call, response) => response.end(JSON.stringify(all)));
    expect((await world.gateway.proxy()).json()).toEqual(all.map(() => '[REDACTED]'));
    upstream.answer((_call, response) => response.end('{}'));
  });

  it('continues with each rotated refresh token', async () => {
    const { id } = await world.connected();
    for (let turn = 0; turn < 3; turn++) {
      const { refreshToken } = await world.readSecrets(id);
      await world.gateway.app.advance({ hours: 2 });
      expect((await world.gateway.proxy()).status).toBe(200);
      expect((await world.readSecrets(id)).refreshToken).not.toBe(refreshToken);
    }
    await world.gateway.logInAgain();
    expect((await world.read(id)).connection).toMatchObject({ state: 'connected', error: null });
  });

  it('keeps a rotated refresh token when the agent hangs up and the gateway stops meanwhile', async () => {
    const { id } = await world.connected();
    await world.gateway.app.advance({ hours: 2 });
    const { refreshToken } = await world.readSecrets(id);
    const { app } = await world.second();
    await world.provider.mode('held');
    const hangUp = new AbortController();
    const call = fetch(`${app.url}/proxy`, {
      method: 'POST',
      body: JSON.stringify({ targetUrl: `${world.gateway.upstream.url}/v1/x`, method: 'GET', intent: 'look' }),
      headers: { 'Agent-Key': world.gateway.agentKey, 'Content-Type': 'application/json' },
      signal: hangUp.signal,
    });
    await eventually(async () => (await world.provider.state()).held === 1);
    hangUp.abort();
    await expect(call).rejects.toThrow();
    const stopped = app.close();
    // Connections that do not wait for the token are closed by now.
    await Promise.race([stopped, eventually(() => !app.app.getHttpServer().listening)]);
    await world.provider.mode('ok');
    await stopped;
    expect((await world.readSecrets(id)).refreshToken).not.toBe(refreshToken);
    expect((await world.gateway.proxy()).status).toBe(200);
  });

  it('can be renewed for other services while a slow provider answers', async () => {
    await world.connected();
    await world.gateway.app.advance({ hours: 2 });
    await world.provider.mode('held');
    const before = await world.provider.requests();
    const answers = Promise.all([world.gateway.proxy(), world.gateway.proxy(), world.gateway.proxy()]);
    await eventually(async () => (await world.provider.state()).held === 1);
    await world.provider.mode('ok');
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await world.provider.requests()).toBe(before + 1);
  });

  it.each<[string, (service: Service) => Promise<unknown>, object]>([
    [
      'its credentials are replaced',
      ({ id }) =>
        world.gateway.admin(`PUT /services/${id}/credentials`, {
          credentials: { client_secret: 'new', refresh_token: 'new' },
        }),
      { credentials: { client_secret: '********', refresh_token: '********' }, connection: { state: 'expired' } },
    ],
    [
      'another token endpoint is set',
      ({ id, oauth }) =>
        world.gateway.admin(`PUT /services/${id}`, {
          oauth: { ...oauth, tokenUrl: 'https://other.example.com/token' },
        }),
      { credentials: { client_secret: '********' }, connection: { state: 'none' } },
    ],
    [
      'its service is deleted',
      ({ id }) => world.gateway.admin(`DELETE /services/${id}`),
      { error: 'Service not found' },
    ],
  ])('stores no token that a provider returns after %s', async (_case, change, expected) => {
    const service = await world.connected();
    await world.gateway.app.advance({ hours: 2 });
    await world.gateway.logInAgain();
    await world.provider.mode('held');
    const asked = world.gateway.proxy();
    await eventually(async () => (await world.provider.state()).held === 1);
    await change(service);
    const calls = world.gateway.upstream.calls.length;
    await world.provider.mode('ok');
    expect((await asked).status).toBeGreaterThanOrEqual(404);
    const { body } = await world.gateway.tryAdmin<object>(`GET /services/${service.id}`);
    expect(body).toMatchObject(expected);
    expect(Object.keys((body as Partial<Service>).credentials ?? {})).toEqual(
      Object.keys((expected as Partial<Service>).credentials ?? {}),
    );
    expect(world.gateway.upstream.calls).toHaveLength(calls);
  });

  it('is renewed after a 401, once, and the request is sent again under a record of its own', async () => {
    await world.connected();
    await world.gateway.proxy();
    const old = world.tokens().at(-1);
    world.gateway.upstream.answer((call, response) => {
      response.statusCode = call.headers.authorization === old ? 401 : 200;
      response.end();
    });
    const before = await world.provider.requests();
    const put = await world.gateway.proxy({ method: 'PUT', body: '{}' });
    expect(put.status).toBe(200);
    expect(await world.provider.requests()).toBe(before + 1);
    const [again, first] = (await world.gateway.audit()).filter(({ kind }) => kind === 'request');
    expect([first.upstreamStatus, again.upstreamStatus, first.url]).toEqual([401, 200, again.url]);

    // New tokens are refused too, so the token is not the reason.
    world.gateway.upstream.answer((_call, response) => response.writeHead(401).end());
    expect((await world.gateway.proxy()).status).toBe(401);
    expect(await world.provider.requests()).toBe(before + 1);
  });

  it('is renewed after a 401 to a request for a stream, which then passes event by event', async () => {
    await world.connected();
    await world.gateway.proxy();
    const old = world.tokens().at(-1);
    let finish = (): void => {};
    world.gateway.upstream.answer((call, response) => {
      if (call.headers.authorization === old) return void response.writeHead(401).end();
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: 1\n\n');
      finish = () => response.end('data: 2\n\n');
    });
    const answer = await fetch(`${world.gateway.url}/s/Shop/events`, {
      headers: { 'Agent-Key': world.gateway.agentKey, 'X-Intent': 'listen' },
    });
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('data: 1\n\n');
    finish();
    expect((await reader.read()).value).toBe('data: 2\n\n');
  });

  it('is renewed after a 401 to a POST, which is not sent again', async () => {
    await world.connected();
    world.gateway.upstream.answer((_call, response) => response.writeHead(401).end());
    const [before, calls] = [await world.provider.requests(), world.gateway.upstream.calls.length];
    expect((await world.gateway.proxy({ method: 'POST', body: '{}' }, { 'Idempotency-Key': 'post-401' })).status).toBe(
      401,
    );
    expect([await world.provider.requests(), world.gateway.upstream.calls.length]).toEqual([before + 1, calls + 1]);
  });

  it('of a client without a sign-in gets its first token with the first request', async () => {
    const { id } = await world.use({
      grant: 'client_credentials',
      scopes: ['read'],
      extraParams: undefined,
      authorizationUrl: undefined,
    });
    expect((await world.read(id)).connection).toMatchObject({ state: 'expired' });
    expect((await world.gateway.proxy({ method: 'POST', body: '{}' }, { 'Idempotency-Key': 'client-1' })).status).toBe(
      200,
    );
    expect((await world.read(id)).connection).toMatchObject({ state: 'connected', scopes: ['read'] });
    const [first] = world.tokens().slice(-1);
    await world.gateway.app.advance({ hours: 2 });
    expect((await world.gateway.proxy()).status).toBe(200);
    expect(world.tokens().at(-1)).not.toBe(first);
  });

  it('can begin with a pasted refresh token', async () => {
    const { id } = await world.connected();
    const { refreshToken } = await world.readSecrets(id);
    const pasted = await world.use({}, { client_secret: CLIENT_SECRET, refresh_token: refreshToken! });
    expect(pasted.connection).toMatchObject({ state: 'expired' });
    expect((await world.gateway.proxy()).status).toBe(200);
    expect((await world.read(pasted.id)).connection).toMatchObject({ state: 'connected' });
  });

  it('is renewed before its unused refresh token expires', async () => {
    const { id } = await world.connected();
    const { refreshToken } = await world.readSecrets(id);
    const housekeeping = world.gateway.app.app.get(ConnectionsHousekeeping, { strict: false });
    await housekeeping.keepAlive();
    expect((await world.readSecrets(id)).refreshToken).toBe(refreshToken);
    await world.gateway.app.advance({ hours: 24 * 7 + 1 });
    await eventually(async () => {
      await housekeeping.keepAlive();
      return (await world.readSecrets(id)).refreshToken !== refreshToken;
    });
  });

  it('ends when another client is set', async () => {
    const { id, oauth } = await world.connected();
    const changed = await world.gateway.admin<Service>(`PUT /services/${id}`, {
      oauth: { ...oauth, clientId: 'other' },
    });
    expect(Object.keys(changed.credentials)).toEqual(['client_secret']);
    expect(changed.connection).toMatchObject({ state: 'none', connectedBy: null });
  });
});
