import type { Channel, ChannelDeliveryPage, LoginResponse } from '#contracts';
import { KnownPlaces } from '../src/auth/known-places.js';
import { call, PASSWORD, register } from './support/accounts.js';
import { ChannelGateway, PUBLIC_URL } from './support/channel-gateway.js';

const reach = new ChannelGateway({ TRUST_PROXY: 'true' });

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1';
const HOME = '198.51.100.7';
const CAFE = '203.0.113.9';

let people = 0;

/** A new person with a workspace of their own. */
async function newPerson() {
  const email = `person${++people}@example.com`;
  await register(reach.gateway.app, email);
  const signIn = async (userAgent: string, address: string): Promise<string> => {
    const headers = { 'User-Agent': userAgent, 'X-Forwarded-For': address };
    const body = { email, password: PASSWORD };
    return (await call<LoginResponse>(reach.gateway.app, 'POST /auth/login', { body, headers })).body.accessToken;
  };
  const token = await signIn(FIREFOX, HOME);
  const as = async <T>(route: string, body?: object): Promise<T> =>
    (await call<T>(reach.gateway.app, route, { token, body })).body;
  const told = async ({ id }: { id: number }): Promise<string[]> => {
    await reach.gateway.app.settled();
    return (await as<ChannelDeliveryPage>(`GET /channels/${id}/deliveries`)).items.map(({ type }) => type);
  };
  return { email, as, signIn, told };
}

it('a person is notified of a sign-in with a new device, with the device and the place, and the place is known afterwards', async () => {
  const { as, signIn, told, email } = await newPerson();
  const mail = await as<Channel>('POST /channels', { type: 'email', name: 'Mail' });
  const topic = await as<Channel>('POST /channels', {
    type: 'ntfy',
    name: 'Phone',
    target: `${reach.receiver.url}/ntfy-signins`,
  });
  const hook = await reach.create('webhook');
  await signIn(PHONE, HOME);
  const [first] = await reach.mailed(1);
  expect(first.to).toEqual([email]);
  expect(first.raw).toContain('Somebody signed in to your account from a new place');
  expect(first.raw.replaceAll('\u2060', '')).toContain(`From: Safari on iPhone, ${HOME}`);
  expect(first.raw).toContain(`${PUBLIC_URL}/dashboard/settings/security?workspace=`);
  await reach.received('ntfy', 1);
  await signIn(PHONE, HOME);
  expect([await told(mail), await told(topic)]).toEqual([['login.new'], ['login.new']]);
  expect(await reach.deliveries(hook)).toEqual([]);
});

it('a new network causes a notification; new versions, new addresses and known devices in known networks do not', async () => {
  const { as, signIn, told } = await newPerson();
  const mail = await as<Channel>('POST /channels', { type: 'email', name: 'Mail' });
  await signIn(FIREFOX.replaceAll('140.0', '141.0'), HOME);
  await signIn(FIREFOX, '198.51.7.200');
  expect(await told(mail)).toEqual([]);
  await signIn(FIREFOX, CAFE);
  expect(await told(mail)).toEqual(['login.new']);
  await signIn(PHONE, HOME);
  expect(await told(mail)).toEqual(['login.new', 'login.new']);
  await signIn(PHONE, CAFE);
  expect(await told(mail)).toEqual(['login.new', 'login.new']);
});

it('ten sign-ins at once from one new place cause one notification', async () => {
  const { as, signIn, told } = await newPerson();
  const mail = await as<Channel>('POST /channels', { type: 'email', name: 'Mail' });
  await Promise.all(Array.from({ length: 10 }, () => signIn(PHONE, CAFE)));
  expect(await told(mail)).toEqual(['login.new']);
});

it('can be switched off, and is not an event for channels of the workspace', async () => {
  const { as, signIn, told } = await newPerson();
  const mail = await as<Channel>('POST /channels', { type: 'email', name: 'Mail', events: ['approval.requested'] });
  await signIn(PHONE, CAFE);
  expect(await told(mail)).toEqual([]);
  expect((await reach.create('webhook')).events).not.toContain('login.new');
});

it('is sent by mail once, also to a person with channels in two workspaces', async () => {
  const { as, signIn, email } = await newPerson();
  const { id } = await as<{ id: number }>('POST /workspaces', { name: 'Second' });
  await as('POST /channels', { type: 'email', name: 'Mail' });
  const { accessToken: token } = (
    await call<LoginResponse>(reach.gateway.app, 'POST /auth/login', {
      body: { email, password: PASSWORD },
      headers: { 'User-Agent': FIREFOX, 'X-Forwarded-For': HOME },
    })
  ).body;
  const headers = { 'X-Workspace-Id': String(id) };
  await call(reach.gateway.app, 'POST /channels', { token, body: { type: 'email', name: 'Mail' }, headers });
  await signIn(PHONE, HOME);
  await reach.mailed(1);
  await reach.gateway.app.settled();
  expect(reach.mail.mails).toHaveLength(1);
});

it('old places are forgotten, except the newest, so that a sign-in after a long time causes a notification', async () => {
  const { as, signIn } = await newPerson();
  const mail = await as<Channel>('POST /channels', { type: 'email', name: 'Mail' });
  await signIn(PHONE, CAFE);
  await reach.mailed(1);
  await reach.gateway.app.advance({ hours: 200 * 24 });
  reach.gateway.app.app.get(KnownPlaces).purge();
  await reach.gateway.app.settled();
  // The sign-in must not have been the newest one.
  await signIn(FIREFOX, HOME);
  await reach.mailed(2);
  const [{ count }] = await reach.gateway.app.database.query<{ count: number }[]>(
    'SELECT count(*)::int FROM channel_deliveries WHERE channel_id = $1',
    [mail.id],
  );
  expect(count).toBe(2);
});
