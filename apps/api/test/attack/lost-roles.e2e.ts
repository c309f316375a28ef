import type { CreatedChannel, Service } from '#contracts';
import { EgressClient } from '#egress';
import { ChannelReceiver } from '../../src/channels/media/channel-receiver.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { startOAuthProvider, type OAuthProviderProcess } from '../support/oauth-provider.js';
import { team, type Team } from '../support/team.js';

const PUBLIC_URL = 'https://gateway.example.com';
const OWN_SERVER = 'https://own-server.example.com/hook';

let provider: OAuthProviderProcess;
let gateway: Gateway;
let people: Team;
let serial = 0;
beforeAll(async () => {
  provider = await startOAuthProvider(`${PUBLIC_URL}/oauth/callback`);
  gateway = await startGateway({
    PUBLIC_URL,
    ALLOW_REGISTRATION: 'true',
    PRIVATE_TARGET_ALLOWLIST: provider.hostAndPort,
  });
  people = team(gateway);
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const newcomer = async (role: string): Promise<string> => {
  const name = `person${++serial}`;
  await people.join(name, role);
  return name;
};
const memberPath = (name: string): string => `/workspaces/${people.workspaceId}/members/${people.findId(name)}`;
const lower = (name: string) => gateway.admin(`PUT ${memberPath(name)}`, { role: 'auditor' });
const remove = (name: string) => gateway.admin(`DELETE ${memberPath(name)}`);

/** Runs a request whose name server answers only after something else has happened. */
async function during<T>(request: () => Promise<T>, happens: () => Promise<unknown>): Promise<T> {
  const { egress } = gateway.app.app.get<{ egress: EgressClient }>(ChannelReceiver);
  let answer = (): void => undefined;
  let asked = false;
  const resolver = () => {
    asked = true;
    return new Promise((resolve) => {
      answer = () => resolve([{ address: '93.184.216.34', family: 4 }]);
    });
  };
  Object.assign(egress, { resolver });
  const running = request();
  await eventually(() => asked);
  await happens();
  answer();
  return running;
}

describe('a person who loses the role while the gateway waits for a name server', () => {
  it.each([
    ['webhook', 'admin', lower, 403, 'Your role (auditor) does not allow this'],
    ['webhook', 'admin', remove, 404, 'Resource not found'],
    ['ntfy', 'approver', lower, 403, 'Your role (auditor) does not allow this'],
    ['ntfy', 'approver', remove, 404, 'Resource not found'],
  ])('creates no %s as %s', async (type, role, lose, status, error) => {
    const name = await newcomer(role);
    const body = { type, name: 'Mine', target: OWN_SERVER };
    const answer = await during(
      () => people.as(name, 'POST /channels', body),
      () => lose(name),
    );
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    const stored = await gateway.app.database.query('SELECT FROM channels WHERE created_by = $1', [
      people.findId(name),
    ]);
    expect(stored).toEqual([]);
  });

  it.each([
    [lower, 403],
    [remove, 404],
  ])('cannot change the target of a workspace channel to their own server', async (lose, status) => {
    const name = await newcomer('admin');
    const target = `http://${gateway.upstream.hostAndPort}/ours`;
    const { id } = await gateway.admin<CreatedChannel>('POST /channels', { type: 'webhook', name: 'Ours', target });
    const read = () => gateway.admin<CreatedChannel>(`GET /channels/${id}`);
    const before = await read();
    const answer = await during(
      () => people.as(name, `PUT /channels/${id}`, { target: OWN_SERVER }),
      () => lose(name),
    );
    expect(answer.status).toBe(status);
    expect(await read()).toEqual(before);
  });
});

it.each([lower, remove])(
  'whoever loses the role while the provider gives a token connects no service',
  async (lose) => {
    const name = await newcomer('admin');
    const { id } = await gateway.createService({
      authType: 'oauth2',
      credentials: { client_secret: 'planted-client-secret' },
      oauth: {
        grant: 'authorization_code',
        authorizationUrl: `${provider.url}/auth`,
        tokenUrl: `${provider.url}/token`,
        clientId: 'gateway',
        scopes: ['openid', 'offline_access'],
        tokenAuth: 'basic',
        extraParams: { prompt: 'consent' },
      },
    });
    const begun = await people.as<{ url: string }>(name, `POST /services/${id}/oauth/connect`);
    const cookie = begun.headers.getSetCookie()[0].split(';')[0];
    const to = await provider.signIn(begun.body.url);
    await provider.mode('held');
    const running = fetch(`${gateway.url}${to.pathname}${to.search}`, { redirect: 'manual', headers: { cookie } });
    await eventually(async () => (await provider.state()).held > 0);
    await lose(name);
    await provider.mode('ok');
    const answer = await running;
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
      400,
      'This sign-in is unknown, has expired or was used already: connect the service again',
    ]);
    expect((await gateway.admin<Service>(`GET /services/${id}`)).connection).toMatchObject({ state: 'none' });
  },
);
