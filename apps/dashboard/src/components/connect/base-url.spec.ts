import { readBaseUrl } from './base-url.js';

describe('readBaseUrl', () => {
  it('says what agents may reach, as it will be connected to', () => {
    expect(readBaseUrl('https://API.example.com:443/v1/').reach).toBe('https://api.example.com/v1/*');
    expect(readBaseUrl('https://api.example.com').reach).toBe('https://api.example.com/*');
    expect(readBaseUrl('http://0x7f.1:8080/a/../b')).toEqual({
      reach: 'http://127.0.0.1:8080/b/*',
      plainHttp: true,
      fault: null,
    });
  });

  it.each([
    '',
    'api.example.com',
    'ftp://a',
    'https://',
    'https:///x',
    'https://a b',
    'https:\\\\a',
    'https://a\n.com',
  ])('refuses %j as no address', (text) => expect(readBaseUrl(text).fault).toBe('form'));

  it.each(['https://a?b', 'https://a#', 'https://u:p@a', 'https://@a', 'https://a/?'])(
    'refuses %j as more than an address',
    (text) => expect(readBaseUrl(text).fault).toBe('extra'),
  );
});
