import type { Service } from '#contracts';
import {
  emptyAuth,
  hasCredentials,
  settingsGap,
  toAuthDraft,
  toAuthSettings,
  toCredentials,
  type AuthDraft,
} from './auth-draft.js';

const draft = (change: Partial<AuthDraft>): AuthDraft => ({ ...emptyAuth, ...change });

describe('the settings of a draft', () => {
  it('are empty for a token', () => {
    expect(toAuthSettings(draft({}))).toEqual({ authType: 'bearer', auth: null, oauth: null });
  });

  it('have templates in headers and query, and ask for the keys in them', () => {
    const custom = draft({
      way: 'custom',
      templates: [
        { place: 'headers', name: 'Authorization', value: 'Token {{token}}' },
        { place: 'query', name: ' account ', value: '{{account}}-{{token}}' },
        { place: 'query', name: '', value: '{{unused}}' },
      ],
      secrets: { token: 't', account: 'a', unused: 'u' },
    });
    expect(toAuthSettings(custom)).toEqual({
      authType: 'custom',
      auth: { headers: { Authorization: 'Token {{token}}' }, query: { account: '{{account}}-{{token}}' } },
      oauth: null,
    });
    expect(toCredentials(custom)).toEqual({ token: 't', account: 'a' });
    expect([settingsGap(custom), hasCredentials(custom)]).toEqual([null, true]);
    expect(settingsGap(draft({ way: 'custom', templates: [] }))).toBe('Headers and query parameters');
    expect(settingsGap(draft({ way: 'custom', templates: [], certificate: true }))).toBeNull();
  });

  it('have all of OAuth 2, without an authorization URL if nobody signs in', () => {
    const oauth = {
      ...emptyAuth.oauth,
      authorizationUrl: 'https://a.example.com/authorize',
      tokenUrl: 'https://a.example.com/token',
      clientId: ' c ',
      scopes: ' read  write ',
      extraParams: [
        { name: 'prompt', value: 'consent' },
        { name: '', value: 'x' },
      ],
    };
    const person = draft({ way: 'oauth', oauth });
    expect(toAuthSettings(person).oauth).toEqual({
      grant: 'authorization_code',
      tokenAuth: 'basic',
      authorizationUrl: 'https://a.example.com/authorize',
      tokenUrl: 'https://a.example.com/token',
      clientId: 'c',
      scopes: ['read', 'write'],
      extraParams: { prompt: 'consent' },
    });
    // A public client has no secret.
    expect([settingsGap(person), hasCredentials(person)]).toEqual([null, true]);
    // A service that was made before this setting has none either.
    expect(toAuthSettings(draft({ way: 'oauth', oauth: { ...oauth, pkce: 'none' } })).oauth).toHaveProperty(
      'pkce',
      'none',
    );
    const machine = draft({ way: 'oauth', oauth: { ...oauth, grant: 'client_credentials', extraParams: [] } });
    expect(toAuthSettings(machine).oauth).not.toHaveProperty('authorizationUrl');
    expect(toAuthSettings(machine).oauth).not.toHaveProperty('extraParams');
    expect(hasCredentials(machine)).toBe(false);
    expect(settingsGap(draft({ way: 'oauth' }))).toBe('Authorization URL');
  });

  it('have a certificate with every auth type except none', () => {
    expect(toAuthSettings(draft({ certificate: true })).auth).toEqual({ clientCertificate: true });
    expect(toAuthSettings(draft({ way: 'none', certificate: true })).auth).toBeNull();
    expect(hasCredentials(draft({ certificate: true, secrets: { token: 't' } }))).toBe(false);
  });
});

it('stores both halves of a user and password, of which one can be empty', () => {
  expect(hasCredentials(draft({ way: 'basic' }))).toBe(false);
  const keyOnly = draft({ way: 'basic', secrets: { username: 'key' } });
  expect([hasCredentials(keyOnly), toCredentials(keyOnly)]).toEqual([true, { username: 'key', password: '' }]);
  const passwordOnly = draft({ way: 'basic', secrets: { password: 'p' } });
  expect(toCredentials(passwordOnly)).toEqual({ username: '', password: 'p' });
});

it('leaves out optional credentials, and stores X-API-Key as api_key', () => {
  const aws = draft({
    way: 'aws',
    aws: { region: ' eu ', service: 's3' },
    secrets: { access_key_id: 'a', secret_access_key: 's' },
  });
  expect(toCredentials(aws)).toEqual({ access_key_id: 'a', secret_access_key: 's' });
  expect(toAuthSettings(aws)).toEqual({
    authType: 'custom',
    auth: { aws: { region: 'eu', service: 's3' } },
    oauth: null,
  });
  const headers = [
    { name: 'x-api-key', value: 'k' },
    { name: 'X-Tenant', value: 't' },
  ];
  expect(toCredentials(draft({ way: 'api_key', headers }))).toEqual({ api_key: 'k', 'X-Tenant': 't' });
});

describe('the draft of a service', () => {
  const service = (change: Partial<Service>) =>
    ({ authType: 'bearer', auth: null, oauth: null, credentials: { token: '********' }, ...change }) as Service;

  it.each([
    service({}),
    service({ authType: 'oauth2' }),
    service({ authType: 'basic', auth: { clientCertificate: true } }),
    service({ authType: 'custom', auth: { headers: { 'X-A': '{{a}}' }, query: { b: '{{b}}' } } }),
    service({ authType: 'custom', auth: { aws: { region: 'r', service: 's' } } }),
    service({
      authType: 'oauth2',
      oauth: {
        grant: 'authorization_code',
        authorizationUrl: 'https://a.example.com/a',
        tokenUrl: 'https://a.example.com/t',
        clientId: 'c',
        scopes: ['x', 'y'],
        tokenAuth: 'post',
        pkce: 'none',
        extraParams: { access_type: 'offline' },
      },
    }),
  ])('gives the same settings again: $authType', (existing) => {
    const { authType, auth, oauth } = existing;
    expect(toAuthSettings(toAuthDraft(existing))).toEqual({ authType, auth, oauth });
  });

  it('offers the stored credential in a template', () => {
    const custom = { ...toAuthDraft(service({})), way: 'custom' as const };
    expect(toAuthSettings(custom).auth).toEqual({ headers: { Authorization: 'Bearer {{token}}' } });
  });
});
