/** A service that moves to another host does not take its stored secrets along. */
import type { AuditRecord, Service } from '#contracts';
import { PASSWORD } from './support/accounts.js';
import { startFakeUpstream, type FakeUpstream } from './support/fake-upstream.js';
import { CLIENT_SECRET, OAuthGateway, PUBLIC_URL } from './support/oauth-gateway.js';

let thief: FakeUpstream;
/** An OAuth provider for clients without a secret. */
let issuer: FakeUpstream;
beforeAll(async () => {
  [thief, issuer] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
});
const world = new OAuthGateway(() => `${thief.hostAndPort},${issuer.hostAndPort}`);
afterAll(() => Promise.all([thief.close(), issuer.close()]));
beforeEach(async () => {
  thief.calls.length = 0;
  await world.gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
});

const change = (id: number, fields: object) => world.gateway.tryAdmin<Service>(`PUT /services/${id}`, fields);
const confirm = (id: number, hosts: string[]) =>
  world.gateway.tryAdmin<Service>(`POST /services/${id}/credentials/confirm`, { hosts });
const sendTo = async (url: string) => {
  const { status, json } = await world.gateway.proxy({ targetUrl: url });
  return { status, error: status === 200 ? null : json<{ error: string }>().error };
};

async function bearer(): Promise<Service> {
  const { gateway } = world;
  const service = await gateway.createService({ name: 'Moved', credentials: { token: 'the-secret-token' } });
  await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [service.id] });
  return service;
}

describe('a base URL that moves to another host', () => {
  it('gets the stored secrets only after a person has confirmed that host', async () => {
    const { id, baseUrl } = await bearer();
    const moved = await change(id, { baseUrl: `${thief.url}/v1` });
    expect([moved.status, moved.body.unconfirmedHosts]).toEqual([200, [`http://${thief.hostAndPort}`]]);
    const refused = { status: 502, error: `Confirm the credentials of Moved for http://${thief.hostAndPort}` };
    expect(await sendTo(`${thief.url}/v1/customers`)).toEqual(refused);
    const test = await world.gateway.admin<{ reason: string }>(`POST /services/${id}/test`, {});
    expect(test.reason).toBe(refused.error);
    expect(thief.calls).toEqual([]);

    const [host] = moved.body.unconfirmedHosts;
    expect((await confirm(id, [host])).headers.get('x-error-code')).toBe('confirmation_required');
    await world.gateway.admin('POST /auth/confirm', { password: PASSWORD });
    expect((await confirm(id, ['api.example.com'])).body).toMatchObject({
      statusCode: 409,
      error: `These hosts wait for a confirmation now: ${host}`,
    });
    expect((await confirm(id, [host])).body.unconfirmedHosts).toEqual([]);
    expect(await sendTo(`${thief.url}/v1/customers`)).toEqual({ status: 200, error: null });
    expect(thief.calls.at(-1)!.headers.authorization).toBe('Bearer the-secret-token');
    const [record]: AuditRecord[] = await world.gateway.audit(`&kind=change&serviceId=${id}`);
    expect([record.reason, record.details]).toEqual(['service.credentials_confirmed', { hosts: [host] }]);

    // The confirmed host is the known one now.
    expect((await change(id, { baseUrl })).body.unconfirmedHosts).toHaveLength(1);
  });

  it('gets secrets that are entered after the move, but no old secrets that a revert restores', async () => {
    const { id } = await bearer();
    await change(id, { baseUrl: `${thief.url}/v1` });
    await world.gateway.admin(`POST /services/${id}/credentials`, { credentials: { token: 'new-token' } });
    expect((await world.read(id)).unconfirmedHosts).toEqual([]);
    expect((await sendTo(`${thief.url}/v1/customers`)).status).toBe(200);
    expect(thief.calls.at(-1)!.headers.authorization).toBe('Bearer new-token');

    thief.calls.length = 0;
    await world.gateway.admin(`POST /services/${id}/credentials/revert`);
    expect((await sendTo(`${thief.url}/v1/customers`)).status).toBe(502);
    expect(thief.calls).toEqual([]);
  });

  it('still needs the confirmation after further changes, but not when it moves back to its old host', async () => {
    const { id, baseUrl } = await bearer();
    await change(id, { baseUrl: `${thief.url}/v1` });
    for (const fields of [{ name: 'Renamed' }, { baseUrl: `${thief.url}/v2` }, { authType: 'oauth2' }]) {
      expect((await change(id, fields)).body.unconfirmedHosts).toHaveLength(1);
    }
    expect(thief.calls).toEqual([]);
    expect((await change(id, { baseUrl, authType: 'bearer' })).body.unconfirmedHosts).toEqual([]);
    expect((await sendTo(`${baseUrl}/customers`)).status).toBe(200);
  });

  it('may move within its host, and gets requests that need no secret', async () => {
    const { id, baseUrl } = await bearer();
    expect((await change(id, { baseUrl: `${baseUrl}/deeper` })).body.unconfirmedHosts).toEqual([]);
    expect((await change(id, { authType: 'none' })).status).toBe(200);
    // The token is still stored, for a later change of the authentication.
    expect((await change(id, { baseUrl: `${thief.url}/v1` })).body.unconfirmedHosts).toHaveLength(1);
    expect((await sendTo(`${thief.url}/v1/customers`)).status).toBe(200);
    expect(thief.calls.at(-1)!.headers.authorization).toBeUndefined();
  });
});

describe('a token URL that moves to another host', () => {
  it.each(['tokenUrl', 'authorizationUrl'])('does not get the client secret by %s', async (field) => {
    const { id } = await world.connected();
    const oauth = world.settings({ [field]: `${thief.url}/token` });
    expect((await change(id, { oauth })).body.unconfirmedHosts).toEqual([`http://${thief.hostAndPort}`]);
    const refused = await world.gateway.tryAdmin(`POST /services/${id}/oauth/connect`);
    expect(refused.body).toMatchObject({ error: `Confirm the credentials of Shop for http://${thief.hostAndPort}` });
    expect((await world.gateway.proxy()).status).toBe(502);
    expect(thief.calls).toEqual([]);
    await world.gateway.admin('POST /auth/confirm', { password: PASSWORD });
    expect((await confirm(id, [`http://${thief.hostAndPort}`])).status).toBe(200);
    expect((await world.gateway.tryAdmin(`POST /services/${id}/oauth/connect`)).status).toBe(200);
  });

  it('does not get it by client credentials either', async () => {
    const grant = { grant: 'client_credentials', authorizationUrl: undefined, scopes: ['read'] };
    const { id } = await world.use(grant);
    await change(id, { oauth: world.settings({ ...grant, tokenUrl: `${thief.url}/token` }) });
    expect((await world.gateway.proxy()).status).toBe(502);
    expect(JSON.stringify(thief.calls)).not.toContain(CLIENT_SECRET);
    expect(thief.calls).toEqual([]);
  });
});

describe('a service whose base URL moves while a person signs in', () => {
  const begun = async () => {
    const endpoints = { authorizationUrl: `${issuer.url}/auth`, tokenUrl: `${issuer.url}/token` };
    // Nothing is stored yet, so there is nothing to confirm.
    const { id } = await world.use(endpoints, {});
    const { url, cookie } = await world.begin(id);
    const state = new URL(url).searchParams.get('state');
    return {
      id,
      comeBack: () => world.comeBack(new URL(`${PUBLIC_URL}/oauth/callback?code=x&state=${state}`), cookie),
    };
  };
  const token = (before: () => Promise<unknown>) =>
    issuer.answer((_call, response) => {
      void before().then(() => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ access_token: 'for-the-old-host', token_type: 'Bearer' }));
      });
    });
  const move = (id: number) => change(id, { baseUrl: `${thief.url}/v1` });
  const refuses = async ({ status }: Response) => {
    expect(status).toBe(400);
    await sendTo(`${thief.url}/v1/customers`);
    expect((await sendTo(`${thief.url}/v1/customers`)).status).toBe(502);
    expect(thief.calls).toEqual([]);
  };

  it('gets no token if it moves before the person comes back', async () => {
    const { id, comeBack } = await begun();
    token(() => Promise.resolve());
    expect((await move(id)).body.unconfirmedHosts).toEqual([]);
    await refuses(await comeBack());
  });

  it('gets no token if it moves while the provider answers', async () => {
    const { id, comeBack } = await begun();
    token(() => move(id));
    await refuses(await comeBack());
  });

  it('is connected if it does not move', async () => {
    const { id, comeBack } = await begun();
    token(() => Promise.resolve());
    expect((await comeBack()).status).toBe(303);
    expect((await world.read(id)).connection?.state).toBe('connected');
  });
});
