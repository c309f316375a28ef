import { readRefreshCookie } from './refresh-cookie.js';

const read = (headers: Record<string, string>, trusted: string[] = []) => readRefreshCookie({ headers }, trusted);

describe('readRefreshCookie', () => {
  it.each([
    ['agw_refresh=a.b.c', 'a.b.c'],
    ['theme=dark; agw_refresh=a.b.c; x=y', 'a.b.c'],
    ['theme=dark;agw_refresh=a.b=c', 'a.b=c'],
    ['xagw_refresh=a.b.c', undefined],
    ['agw_refresh', undefined],
    ['agw_refresh=', ''],
    ['', undefined],
  ])('reads the token from %p', (cookie, value) => {
    expect(read({ cookie })).toBe(value);
  });

  it('returns undefined without cookies', () => {
    expect(read({})).toBeUndefined();
  });

  it('ignores the cookie if the browser reports another origin that is not trusted', () => {
    const from = (site: string, origin: string) =>
      read({ cookie: 'agw_refresh=t', 'sec-fetch-site': site, origin }, ['https://console.example.com']);
    expect(from('same-origin', 'https://gateway.example.com')).toBe('t');
    expect(from('none', '')).toBe('t');
    expect(from('same-site', 'https://console.example.com')).toBe('t');
    expect(from('same-site', 'https://blog.example.com')).toBeUndefined();
    expect(from('cross-site', 'null')).toBeUndefined();
    expect(from('something-new', '')).toBeUndefined();
  });
});
