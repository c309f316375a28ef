import { removedNames, rotationRows, sentAs } from './credential-headers.js';

describe('sentAs', () => {
  it('names the header that sends a credential', () => {
    expect(sentAs('api_key', 'api_key')).toBe('X-API-Key');
    expect(sentAs('api_key', 'X-Tenant')).toBe('X-Tenant');
    expect(sentAs('basic', 'password')).toBe('Authorization');
    expect(sentAs('bearer', 'refresh')).toBeNull();
  });
});

describe('a rotation', () => {
  it('starts with the stored names and no values', () => {
    expect(rotationRows('api_key', ['api_key', 'X-Tenant'])).toEqual([
      { name: 'X-API-Key', value: '' },
      { name: 'X-Tenant', value: '' },
    ]);
    expect(rotationRows('oauth2', ['refresh'])).toEqual([{ name: 'access_token', value: '' }]);
  });

  it('lists the names that it would remove', () => {
    expect(removedNames('api_key', ['api_key', 'X-Tenant'], { 'x-api-key': 'a' })).toEqual(['X-Tenant']);
    expect(removedNames('oauth2', ['refresh', 'access_token'], { access_token: 'a' })).toEqual(['refresh']);
  });
});
