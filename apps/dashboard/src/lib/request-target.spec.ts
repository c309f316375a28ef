import { readTarget } from './request-target.js';

describe('readTarget', () => {
  it('splits the parts and decodes them', () => {
    expect(readTarget('https://api.example.com:8443/v1/caf%C3%A9?q=a%20b+c&q=2&flag')).toEqual({
      scheme: 'https',
      host: 'api.example.com:8443',
      path: '/v1/café',
      query: [
        { name: 'q', value: 'a b c' },
        { name: 'q', value: '2' },
        { name: 'flag', value: '' },
      ],
    });
  });

  it('keeps escapes that would change the path', () => {
    expect(readTarget('https://x.test/a%2Fb%00c%2520%3Fd%23')?.path).toBe('/a%2Fb%00c%2520%3Fd%23');
  });

  it('keeps broken escapes as they are', () => {
    expect(readTarget('https://x.test/%E0%A4?a=%ZZ')).toMatchObject({
      path: '/%E0%A4',
      query: [{ name: 'a', value: '%ZZ' }],
    });
  });

  it('shows the real host, not the one that the URL imitates', () => {
    expect(readTarget('https://p\u0430ypal.com/')?.host).toBe('xn--pypal-4ve.com');
  });

  it('is null for an invalid URL', () => {
    expect(readTarget('nope')).toBeNull();
  });
});
