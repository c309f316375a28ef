import type { Agent, Channel, Service, ServiceUsage } from '#contracts';
import { findTroubles } from './troubles.js';

const NOW = '2026-05-01T12:00:00Z';
const BEFORE = '2026-04-20T00:00:00Z';
const LATER = '2026-06-20T00:00:00Z';
const SERVICE = {
  id: 1,
  name: 'Shop',
  oauth: null,
  connection: null,
  certificate: null,
  missingCredentials: [],
  unconfirmedHosts: [],
  credentialsRejected: false,
  credentialsRotatedAt: BEFORE,
  rotationDueAt: null,
  isPaused: false,
  createdAt: BEFORE,
} as unknown as Service;
const AGENT = { id: 2, name: 'bot', callbackRequestedHost: null } as Agent;
const CHANNEL = { id: 3, name: 'Pager', isActive: true, failingSince: null, disabledReason: null } as Channel;
const USAGE = { serviceId: 1, unauthorized24h: 0, rejections: null } as unknown as ServiceUsage;

const found = (service: object = {}, usage: object = {}, agent: object = {}, channel: object = {}) =>
  findTroubles(
    {
      services: [{ ...SERVICE, ...service }],
      usage: [{ ...USAGE, ...usage }],
      agents: [{ ...AGENT, ...agent }],
      channels: [{ ...CHANNEL, ...channel }],
    },
    Date.parse(NOW),
  );

it('finds nothing where all is well, and nothing in what somebody has chosen', () => {
  expect(found()).toEqual([]);
  expect(found({ isPaused: true, rotationDueAt: LATER }, {}, {}, { isActive: false, failingSince: BEFORE })).toEqual(
    [],
  );
});

it('ignores usage of services that are gone', () => {
  expect(found({}, { serviceId: 9, unauthorized24h: 5 })).toEqual([]);
});

const signIn = (state: string) => ({
  oauth: { grant: 'authorization_code' },
  connection: { state, expiresAt: BEFORE },
});
const CREDENTIALS = '/services/1/credentials';
it.each<[string, object, object, string, string | null]>([
  ['unconfirmed hosts', { unconfirmedHosts: ['new.example'] }, {}, '/services/1', null],
  ['no connection', signIn('none'), {}, '/services/1', BEFORE],
  ['a lost connection', signIn('reconnect'), {}, '/services/1', BEFORE],
  [
    'a lost connection whose token is still valid',
    { ...signIn('reconnect'), connection: { state: 'reconnect', expiresAt: LATER } },
    {},
    '/services/1',
    null,
  ],
  [
    'a client that the provider rejects',
    { oauth: { grant: 'client_credentials' }, connection: { state: 'reconnect', expiresAt: null } },
    {},
    CREDENTIALS,
    null,
  ],
  [
    'credentials that were never there',
    { missingCredentials: ['token'], credentialsRotatedAt: null },
    {},
    CREDENTIALS,
    BEFORE,
  ],
  ['missing credentials', { missingCredentials: ['token'] }, {}, CREDENTIALS, null],
  ['credentials that a test found rejected', { credentialsRejected: true }, {}, CREDENTIALS, BEFORE],
  ['an expired certificate', { certificate: { validTo: BEFORE } }, {}, CREDENTIALS, BEFORE],
  ['a certificate that ends soon', { certificate: { validTo: '2026-05-20T00:00:00Z' } }, {}, CREDENTIALS, null],
  [
    'new credentials that are rejected',
    {},
    { rejections: { before: { answers: 9, rejected: 0 }, after: { answers: 4, rejected: 3 } } },
    CREDENTIALS,
    BEFORE,
  ],
  ['rejected credentials', {}, { unauthorized24h: 1 }, CREDENTIALS, null],
  ['an overdue rotation', { rotationDueAt: BEFORE }, {}, CREDENTIALS, BEFORE],
])('finds %s', (_what, service, usage, to, since) => {
  expect(found(service, usage)).toEqual([expect.objectContaining({ key: 'service-1', name: 'Shop', to, since })]);
});

it('lists the most urgent trouble of a service only', () => {
  const all = found(
    { ...signIn('none'), missingCredentials: ['token'], rotationDueAt: BEFORE },
    { unauthorized24h: 2 },
  );
  expect(all.map(({ mend }) => mend)).toEqual(['Connect']);
});

it('finds callbacks that wait for a permission, and channels that do not arrive', () => {
  expect(found({}, {}, { callbackRequestedHost: 'hooks.example' }, { failingSince: BEFORE })).toEqual([
    expect.objectContaining({ name: 'bot', to: '/agents/2/callback', since: null }),
    expect.objectContaining({ name: 'Pager', to: '/settings/notifications', since: BEFORE }),
  ]);
  const reason = 'The receiver answered 410 Gone';
  expect(found({}, {}, {}, { isActive: false, disabledReason: reason })).toEqual([
    expect.objectContaining({ key: 'channel-3', text: `The gateway switched this channel off: ${reason}.` }),
  ]);
});
