import type { Service } from '#contracts';
import { formatPlaces } from './sent-as.js';

const service = (change: Partial<Service>) => ({ authType: 'bearer', auth: null, oauth: null, ...change }) as Service;

describe('formatPlaces', () => {
  it.each([
    ['a token', service({}), 'token', 'Authorization'],
    ['a credential without a use', service({}), 'other', ''],
    ['a key', service({ authType: 'api_key' }), 'api_key', 'X-API-Key'],
    ['a certificate', service({ auth: { clientCertificate: true } }), 'client_key', 'TLS handshake'],
    ['a client secret', service({ authType: 'oauth2', oauth: {} as Service['oauth'] }), 'client_secret', 'Token URL'],
    [
      'an access token',
      service({ authType: 'oauth2', oauth: {} as Service['oauth'] }),
      'access_token',
      'Authorization',
    ],
    [
      'an AWS key',
      service({ authType: 'custom', auth: { aws: { region: 'r', service: 's' } } }),
      'secret_access_key',
      'signature',
    ],
  ])('says where %s goes', (_what, of, name, place) => expect(formatPlaces(of, name)).toBe(place));

  it('names every header and parameter whose template has the credential', () => {
    const auth = { headers: { Authorization: 'Token {{key}}', 'X-Tenant': '{{tenant}}' }, query: { appid: '{{key}}' } };
    const custom = service({ authType: 'custom', auth });
    expect(formatPlaces(custom, 'key')).toBe('Authorization, query appid');
    expect(formatPlaces(custom, 'tenant')).toBe('X-Tenant');
    expect(formatPlaces(custom, 'ten')).toBe('');
  });
});
