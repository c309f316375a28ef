/** Connections whose provider, or whose instance, fails during a renewal. */
import type { Channel, ChannelDeliveryPage } from '#contracts';
import { ConnectionsHousekeeping } from '../src/services/connections.schedule.js';
import { startChildGateway } from './support/child-gateway.js';
import { eventually } from './support/eventually.js';
import { CLIENT_SECRET, OAuthGateway } from './support/oauth-gateway.js';
import type { ProviderMode } from './support/oauth-provider.js';

const world = new OAuthGateway();

describe('a connection', () => {
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

  it('is used until it ends while the provider is down', async () => {
    await world.connected();
    await world.gateway.proxy();
    const old = world.tokens().at(-1);
    await world.gateway.app.advance({ seconds: 3600 - 30 });
    await world.provider.mode('error');
    expect((await world.gateway.proxy()).status).toBe(200);
    expect(world.tokens().at(-1)).toBe(old);
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

  it('is kept alive although many others cannot be renewed', async () => {
    const { id } = await world.connected();
    const { refreshToken } = await world.readSecrets(id);
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
    expect((await world.readSecrets(id)).refreshToken).not.toBe(refreshToken);
  });
});
