import fc from 'fast-check';
import { AUTH_TYPES, type AuthType } from '#contracts';
import { HOP_BY_HOP } from '#egress';
import { Clock } from '../platform/clock.js';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EXPIRED_CERTIFICATE } from '../../test/support/client-certificates.js';
import { assertCredentialNames, assertCredentials, injectedHeaderNames } from './credential-rules.js';
import { CredentialVault } from './credential-vault.js';
import { credentialBinding } from './encrypted-credentials.js';
import type { ServiceView } from '../service-view/service-view.js';

const makeCipher = (encryptionSecret: string) =>
  new CredentialCipher({ encryptionSecret, previousEncryptionSecret: null, encryptionSalt: 'salt' });
const cipher = makeCipher('x'.repeat(32));
const vault = new CredentialVault(cipher, new Clock());
const NOW = new Date();
const service = (authType: AuthType, credentials: Record<string, string>): ServiceView => ({
  id: 1,
  workspaceId: 1,
  owner: { allowed: true, creator: 'ada@example.com' },
  name: 'Example',
  paused: null,
  baseUrl: 'https://api.example.com',
  authType,
  auth: null,
  oauth: null,
  credentialOrigins: null,
  connection: null,
  rewriteLinks: 'headers',
  requestCodings: 'decode',
  baseUrlDefaults: { idempotency: 'required', wait: 0 },
  credentials: new Map(
    Object.entries(credentials).map(([name, value]) => [name, cipher.encrypt(value, credentialBinding(1, name))]),
  ),
  previous: null,
  rules: [],
  observed: [],
  askFor: [],
  documentIds: [],
  documentsVersion: '',
  version: 1,
});

describe('CredentialVault', () => {
  it.each([
    ['bearer', { token: 't1', other: 'o' }, { Authorization: 'Bearer t1' }, ['t1']],
    ['oauth2', { access_token: 't2' }, { Authorization: 'Bearer t2' }, ['t2']],
    ['basic', { username: 'ada', password: 'pä:ss' }, { Authorization: 'Basic YWRhOnDDpDpzcw==' }, ['pä:ss']],
    ['basic', { username: 'sk_1', password: '' }, { Authorization: 'Basic c2tfMTo=' }, ['sk_1']],
    ['api_key', { api_key: 'k1' }, { 'X-API-Key': 'k1' }, ['k1']],
    ['api_key', { 'DD-API-KEY': 'k1', 'DD-APP-KEY': 'k2' }, { 'DD-API-KEY': 'k1', 'DD-APP-KEY': 'k2' }, ['k1', 'k2']],
  ] as const)('injects %s %j', (authType, credentials, headers, secrets) => {
    const view = service(authType, credentials);
    const injection = vault.injection(view);
    expect({ ...injection.headers }).toEqual(headers);
    expect(injection.secrets).toEqual(expect.arrayContaining([...secrets]));
    expect(injectedHeaderNames(view)).toEqual(Object.keys(headers).map((name) => name.toLowerCase()));
  });

  it('counts the composed pair among the secrets, and a user name only when it is the key', () => {
    expect(vault.injection(service('basic', { username: 'ada', password: 'secret' })).secrets).toEqual([
      'YWRhOnNlY3JldA==',
      'secret',
    ]);
  });

  it.each([
    ['bearer', { access_token: 'x' }],
    ['oauth2', { token: 'x' }],
    ['basic', { username: 'x' }],
    ['basic', { password: 'x' }],
    ['api_key', {}],
  ] as const)('has nothing to inject for %s with %j', (authType, credentials) => {
    expect(() => vault.injection(service(authType, credentials as Record<string, string>))).toThrow(
      expect.objectContaining({ statusCode: 500, message: 'No credentials found for service' }),
    );
  });

  it('reports a value that was encrypted with another secret', () => {
    const encrypted = makeCipher('y'.repeat(32)).encrypt('t', credentialBinding(1, 'token'));
    const view = { ...service('bearer', {}), credentials: new Map([['token', encrypted]]) };
    expect(() => vault.injection(view)).toThrow(
      expect.objectContaining({ statusCode: 500, message: 'Failed to decrypt credentials' }),
    );
  });

  it.each([
    ['of another service', credentialBinding(2, 'token')],
    ['of another name', credentialBinding(1, 'password')],
  ])('reports a value that was copied from the row %s', (_what, binding) => {
    const view = { ...service('bearer', {}), credentials: new Map([['token', cipher.encrypt('t', binding)]]) };
    expect(() => vault.injection(view)).toThrow(
      expect.objectContaining({ statusCode: 500, message: 'Failed to decrypt credentials' }),
    );
  });

  it('hides all readable secrets of a previous connection, also if its access token is not readable', () => {
    const old = (name: string, value: string): [string, string] => [
      name,
      cipher.encrypt(value, credentialBinding(1, name)),
    ];
    const previous = {
      authType: 'oauth2' as const,
      auth: null,
      credentials: [
        old('client_secret', 'cs'),
        old('refresh_token', 'rt'),
        ['access_token', 'broken'] as [string, string],
      ],
    };
    const view = { ...service('oauth2', { access_token: 'now' }), previous };
    expect(vault.secretsToRedact(view)).toEqual(['now', 'cs', 'rt']);
  });

  it('refuses an unknown auth type', () => {
    expect(() => vault.injection(service('digest' as AuthType, { token: 't' }))).toThrow(
      expect.objectContaining({ statusCode: 500, message: 'Unsupported authentication type: digest' }),
    );
  });
});

describe('assertCredentials', () => {
  it.each([
    ['api_key', { 'not a name': 'x' }, 'credentials.not a name: name must be a valid header name'],
    ['api_key', { 'Content-Length': 'x' }, 'credentials.Content-Length: this header cannot carry a credential'],
    ['api_key', { host: 'x' }, 'credentials.host: this header cannot carry a credential'],
    ['api_key', { 'X-Original-URL': 'x' }, 'credentials.X-Original-URL: this header cannot carry a credential'],
    ['api_key', { api_key: 'x', 'x-api-key': 'y' }, 'more than one would be sent as the header x-api-key'],
    ['api_key', { 'X-Key': 'x', 'x-key': 'y' }, 'more than one would be sent as the header x-key'],
    ['api_key', { 'X-Key': 'ключ' }, 'characters that a header cannot carry'],
    ['bearer', { token: 'a\r\nX: y' }, 'credentials.token: must not contain line breaks or NUL characters'],
    ['bearer', { token: 'a\0' }, 'credentials.token: must not contain line breaks or NUL characters'],
    ['bearer', { token: '' }, 'credentials.token: must not be empty'],
    ['bearer', { token: ' t' }, 'nor begin or end with a space'],
    ['bearer', { '': 't' }, 'name must have 1 to 128 characters'],
    ['bearer', { token: 'x'.repeat(16_385) }, 'must have at most 16384 characters'],
    ['basic', { username: 'a:b', password: 'x' }, 'credentials.username: must not contain a colon'],
    ['basic', { username: 'a', password: 'x\x07' }, 'credentials.password: must not contain control characters'],
  ] as const)('refuses %s %j', (authType, credentials, message) => {
    expect(() => assertCredentials({ authType, auth: null }, { ...credentials }, NOW)).toThrow(message);
  });

  it('accepts as many and as long credentials as the limits allow', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
    expect(() => assertCredentials({ authType: 'bearer', auth: null }, many(50), NOW)).not.toThrow();
    expect(() => assertCredentials({ authType: 'bearer', auth: null }, many(51), NOW)).toThrow('at most 50 entries');
    expect(() =>
      assertCredentials({ authType: 'bearer', auth: null }, { ['n'.repeat(128)]: 'v'.repeat(16_384) }, NOW),
    ).not.toThrow();
    expect(() => assertCredentials({ authType: 'bearer', auth: null }, { ['n'.repeat(129)]: 'v' }, NOW)).toThrow(
      '1 to 128 characters',
    );
  });

  it('refuses every hop-by-hop header as the name of a key, in any letter case', () => {
    for (const name of HOP_BY_HOP) {
      expect(() => assertCredentialNames({ authType: 'api_key', auth: null }, [name.toUpperCase()])).toThrow(
        'cannot carry a credential',
      );
      expect(() => assertCredentialNames({ authType: 'bearer', auth: null }, [name])).not.toThrow();
    }
  });

  it('never shows a value', () => {
    const hostile = fc.dictionary(
      fc.string(),
      fc.string().map((text) => `SECRET${text}\n`),
      { minKeys: 1 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...AUTH_TYPES), hostile, (authType, credentials) => {
        expect(() => assertCredentials({ authType, auth: null }, credentials, NOW)).toThrow(
          expect.objectContaining({ statusCode: 400, message: expect.not.stringContaining('SECRET') }),
        );
      }),
    );
  });

  it('accepts only what can be injected', () => {
    const given = fc.dictionary(
      fc.constantFrom('api_key', 'X-Key', 'token', 'a b', 'Host'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(given, (credentials) => {
        try {
          assertCredentials({ authType: 'api_key', auth: null }, credentials, NOW);
        } catch {
          return;
        }
        if (Object.keys(credentials).length === 0) return;
        const { headers } = vault.injection(service('api_key', credentials));
        expect(() => new Headers(headers)).not.toThrow();
      }),
    );
  });
});

it('injects nothing once the client certificate has expired, and says so', () => {
  const view = {
    ...service('custom', EXPIRED_CERTIFICATE),
    auth: { clientCertificate: true },
  };
  expect(() => vault.injection(view)).toThrow(
    expect.objectContaining({
      statusCode: 502,
      message: 'The client certificate of Example expired on 2021-01-01: replace it',
    }),
  );
  expect(vault.hasInjection(view)).toBe(false);
});
