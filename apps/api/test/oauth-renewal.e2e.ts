import type { Channel, ChannelDeliveryPage, Service } from '#contracts';
import { ConnectionsHousekeeping } from '../src/services/connections.schedule.js';
import { startChildGateway } from './support/child-gateway.js';
import { eventually } from './support/eventually.js';
import { CLIENT_SECRET, OAuthGateway } from './support/oauth-gateway.js';
import type { ProviderMode } from './support/oauth-provider.js';

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
      const { refreshToken } = await world.secretsOf(id);
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
      const { refreshToken } = await world.secretsOf(id);
      await world.gateway.app.advance({ hours: 2 });
      expect((await world.gateway.proxy()).status).toBe(200);
      expect((await world.secretsOf(id)).refreshToken).not.toBe(refreshToken);
    }
    await world.gateway.logInAgain();
    expect((await world.read(id)).connection).toMatchObject({ state: 'connected', error: null });
  });

  it('must be connected again when the process died before it stored the rotated refresh token', async () => {
    const { id } = await world.connected();
    const { database, databaseUrl } = world.gateway.app;
    const child = await startChildGateway({
      DATABASE_URL: databaseUrl,
      LLM_BASE_URL: world.gateway.model.url,
      RISK_CACHE_SECONDS: '0',
      PRIVATE_TARGET_ALLOWLIST: `${world.gateway.upstream.hostAndPort},${world.provider.hostAndPort}`,
      PRIVATE_TARGET_ACCESS: 'all',
    });
    // The child's clock is the real one. Not set before the child runs: each minute, idle connections are renewed.
    const expire =
      'UPDATE connections SET expires_at = to_timestamp(0), refresh_at = to_timestamp(0) WHERE service_id = $1';
    const lock = database.createQueryRunner();
    try {
      await database.query(expire, [id]);
      await lock.startTransaction();
      await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await lock.query('SELECT FROM services WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const before = await world.provider.requests();
      const call = fetch(`${child.url}/s/Shop/customers`, {
        headers: { 'Agent-Key': world.gateway.agentKey, 'X-Intent': 'look' },
      });
      const cut = expect(call).rejects.toThrow();
      // The provider has answered, and the child waits for the lock to store it.
      await eventually(async () => {
        const waiting: unknown[] = await database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0 && (await world.provider.requests()) === before + 1;
      });
      // At once: the child waits for the lock for three seconds only.
      child.kill('SIGKILL');
      await child.exited;
      await cut;
    } finally {
      await lock.rollbackTransaction();
      await lock.release();
      await child.stop();
    }
    // The claim of the dead process has ended by now.
    await world.gateway.app.advance({ hours: 2 });
    await world.gateway.logInAgain();
    expect((await world.gateway.proxy()).json()).toMatchObject({
      error: 'The connection to Shop has expired: reconnect it',
    });
    expect((await world.read(id)).connection).toMatchObject({
      state: 'reconnect',
      error: 'The provider answered 400 invalid_grant',
    });
    const { url, cookie } = await world.begin(id);
    await world.comeBack(await world.provider.signIn(url), cookie);
    expect((await world.gateway.proxy()).status).toBe(200);
  });

  it('must be connected again once the provider rejects its refresh token', async () => {
    const { id } = await world.connected();
    const target = `${world.gateway.upstream.url}/hook`;
    const channel = await world.gateway.admin<Channel>('POST /channels', { type: 'webhook', name: 'Hook', target });
    await world.gateway.app.advance({ hours: 2 });
    expect((await world.gateway.proxy()).status).toBe(200);
    // The provider detects that the previous token was used again, and ends the grant.
    await world.provider.reuse();
    await world.gateway.app.advance({ hours: 2 });
    const calls = () => world.gateway.upstream.calls.filter(({ path }) => path !== '/hook').length;
    const before = calls();
    for (let turn = 0; turn < 2; turn++) {
      const answer = await world.gateway.proxy();
      expect([answer.status, answer.json<{ error: string }>().error]).toEqual([
        502,
        'The connection to Shop has expired: reconnect it',
      ]);
    }
    expect(calls()).toBe(before);
    await world.gateway.logInAgain();
    const { items } = await world.gateway.admin<ChannelDeliveryPage>(`GET /channels/${channel.id}/deliveries`);
    expect(items.map(({ type }) => type)).toEqual(['connection.expired']);
    const told = await eventually(() => world.gateway.upstream.calls.find(({ path }) => path === '/hook'));
    expect(JSON.parse(told.body.toString())).toMatchObject({
      data: { service: 'Shop', serviceId: id, reason: 'The provider answered 400 invalid_grant' },
    });
    await world.gateway.admin(`DELETE /channels/${channel.id}`);
    expect((await world.read(id)).connection).toMatchObject({
      state: 'reconnect',
      error: 'The provider answered 400 invalid_grant',
    });
    expect((await world.gateway.audit()).map(({ reason }) => reason)).toContain('service.connection_lost');
    const { url, cookie } = await world.begin(id);
    await world.comeBack(await world.provider.signIn(url), cookie);
    expect((await world.gateway.proxy()).status).toBe(200);
  });

  it.each<[ProviderMode, RegExp]>([
    ['html', /The token endpoint answered 200 without a JSON object$/],
    ['redirect', /The token endpoint answered with a redirect \(302\): correct tokenUrl$/],
    ['big', /Token endpoint: response is larger than|Token endpoint: /],
    ['error', /The provider answered 500 server_error$|The token endpoint sent no usable answer$/],
    ['client', /The provider answered 401 invalid_client$|The token endpoint sent no usable answer$/],
    ['hang', /Token endpoint: no complete response within 0.5s$/],
  ])('survives a token endpoint in trouble: %s', async (mode, message) => {
    const { id } = await world.connected();
    await world.gateway.app.advance({ hours: 2 });
    await world.gateway.logInAgain();
    await world.provider.mode(mode);
    const gateway = mode === 'hang' ? await world.second({ tokenEndpointMs: 500 }) : world.gateway;
    const answer = await gateway.proxy();
    if (gateway !== world.gateway) await gateway.app.close();
    expect(answer.status).toBe(502);
    const { error } = answer.json<{ error: string }>();
    expect(error).toMatch(/^The connection to Shop could not be renewed: /);
    expect(error).toMatch(message);
    expect((await world.read(id)).connection).toMatchObject({
      state: 'expired',
      error: expect.stringMatching(message),
    });
    await world.provider.mode('ok');
    expect((await world.gateway.proxy()).status).toBe(200);
  });

  it('survives lifetimes and scopes that no database can store', async () => {
    const { id } = await world.connected();
    await world.gateway.app.advance({ hours: 2 });
    await world.provider.mode('odd');
    expect((await world.gateway.proxy()).status).toBe(200);
    expect(world.tokens().at(-1)).toBe('Bearer odd-1');
    await world.gateway.logInAgain();
    expect((await world.read(id)).connection).toMatchObject({ state: 'connected', scopes: ['read'] });
  });

  it('keeps a rotated refresh token when the agent hangs up and the gateway stops meanwhile', async () => {
    const { id } = await world.connected();
    await world.gateway.app.advance({ hours: 2 });
    const { refreshToken } = await world.secretsOf(id);
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
    expect((await world.secretsOf(id)).refreshToken).not.toBe(refreshToken);
    expect((await world.gateway.proxy()).status).toBe(200);
  });

  it('is used until it ends while the provider is down', async () => {
    await world.connected();
    await world.gateway.proxy();
    const old = world.tokens().at(-1);
    await world.gateway.app.advance({ seconds: 3600 - 30 });
    await world.provider.mode('error');
    expect((await world.gateway.proxy()).status).toBe(200);
    expect(world.tokens().at(-1)).toBe(old);
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

  it('is renewed by another instance once the claim of one that died has ended', async () => {
    const { id } = await world.connected();
    await world.gateway.app.advance({ hours: 2 });
    await world.gateway.app.database.query(
      `UPDATE connections SET refresh_claim = gen_random_uuid(), refresh_until = clock_timestamp() + interval '20 s'
       WHERE service_id = $1`,
      [id],
    );
    const before = await world.provider.requests();
    const answer = world.gateway.proxy();
    await world.gateway.app.advance({ seconds: 21 });
    expect((await answer).status).toBe(200);
    expect(await world.provider.requests()).toBe(before + 1);
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
    const { refreshToken } = await world.secretsOf(id);
    const pasted = await world.use({}, { client_secret: CLIENT_SECRET, refresh_token: refreshToken! });
    expect(pasted.connection).toMatchObject({ state: 'expired' });
    expect((await world.gateway.proxy()).status).toBe(200);
    expect((await world.read(pasted.id)).connection).toMatchObject({ state: 'connected' });
  });

  it('is renewed before its unused refresh token expires', async () => {
    const { id } = await world.connected();
    const { refreshToken } = await world.secretsOf(id);
    const housekeeping = world.gateway.app.app.get(ConnectionsHousekeeping, { strict: false });
    await housekeeping.keepAlive();
    expect((await world.secretsOf(id)).refreshToken).toBe(refreshToken);
    await world.gateway.app.advance({ hours: 24 * 7 + 1 });
    await eventually(async () => {
      await housekeeping.keepAlive();
      return (await world.secretsOf(id)).refreshToken !== refreshToken;
    });
  });

  it('is kept alive although many others cannot be renewed', async () => {
    const { id } = await world.connected();
    const { refreshToken } = await world.secretsOf(id);
    const dead: number[] = [];
    for (let n = 0; n < 20; n++) {
      dead.push((await world.use({ clientId: 'unknown' }, { client_secret: CLIENT_SECRET, refresh_token: 'x' })).id);
    }
    const due = `UPDATE connections SET renew_by = CASE service_id WHEN $1 THEN now() - interval '1 minute'
      ELSE now() - interval '1 hour' END WHERE service_id = $1 OR service_id = ANY($2)`;
    await world.gateway.app.database.query(`UPDATE connections SET renew_by = NULL WHERE service_id <> ALL($1)`, [
      [id, ...dead],
    ]);
    await world.gateway.app.database.query(due, [id, dead]);
    const housekeeping = world.gateway.app.app.get(ConnectionsHousekeeping, { strict: false });
    for (let turn = 0; turn < 2; turn++) await housekeeping.keepAlive();
    expect((await world.secretsOf(id)).refreshToken).not.toBe(refreshToken);
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
