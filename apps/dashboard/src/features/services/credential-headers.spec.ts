import type { Service } from '#contracts';
import type { AuthType } from '#contracts/states';
import { removedNames, rotationRows, sentAs } from './credential-headers.js';

describe('sentAs', () => {
  it('names the header that sends a credential', () => {
    expect(sentAs('api_key', 'api_key')).toBe('X-API-Key');
    expect(sentAs('api_key', 'X-Tenant')).toBe('X-Tenant');
    expect(sentAs('basic', 'password')).toBe('Authorization');
    expect(sentAs('bearer', 'refresh')).toBeNull();
  });
});

const stored = (authType: AuthType, names: string[]) => ({
  authType,
  auth: null,
  oauth: null,
  credentials: Object.fromEntries(names.map((name) => [name, '********'])),
  missingCredentials: [],
});

describe('a rotation', () => {
  it('starts with the stored names and no values', () => {
    expect(rotationRows(stored('api_key', ['api_key', 'X-Tenant']))).toEqual([
      { name: 'X-API-Key', value: '' },
      { name: 'X-Tenant', value: '' },
    ]);
    expect(rotationRows(stored('oauth2', ['refresh']))).toEqual([{ name: 'access_token', value: '' }]);
  });

  it('has the keys that the templates of a service name, stored or missing', () => {
    const rows = rotationRows({ ...stored('custom', ['key']), missingCredentials: ['key', 'tenant'] });
    expect(rows.map(({ name }) => name)).toEqual(['key', 'tenant']);
  });

  it('has only the client secret if the gateway gets the tokens', () => {
    const oauth = {} as NonNullable<Service['oauth']>;
    const rows = rotationRows({ ...stored('oauth2', ['access_token', 'client_secret']), oauth });
    expect(rows).toEqual([{ name: 'client_secret', value: '' }]);
  });

  it('asks for the certificate and its key too', () => {
    const auth = { clientCertificate: true };
    const names = (authType: AuthType, held: string[]) =>
      rotationRows({ ...stored(authType, held), auth }).map(({ name }) => name);
    expect(names('bearer', ['token', 'client_cert', 'client_key'])).toEqual(['token', 'client_cert', 'client_key']);
    expect(names('api_key', ['client_cert', 'api_key', 'client_key'])).toEqual([
      'X-API-Key',
      'client_cert',
      'client_key',
    ]);
    expect(sentAs('api_key', 'client_cert')).toBeNull();
  });

  it('lists the names that it would remove', () => {
    expect(removedNames('api_key', ['api_key', 'X-Tenant'], { 'x-api-key': 'a' })).toEqual(['X-Tenant']);
    expect(removedNames('oauth2', ['refresh', 'access_token'], { access_token: 'a' })).toEqual(['refresh']);
  });
});
