import fc from 'fast-check';
import { shownTarget, withQuery } from './query.js';

describe('the target that records and approvers see', () => {
  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1?api_key=[REDACTED]'],
    ['https://api.example.com/v1?a=1&b=%2F', 'https://api.example.com/v1?a=1&b=%2F&api_key=[REDACTED]'],
    ['https://api.example.com/v1?api_key=mine&a=1', 'https://api.example.com/v1?a=1&api_key=[REDACTED]'],
    ['https://api.example.com/v1?API%5FKey=x&api_key', 'https://api.example.com/v1?api_key=[REDACTED]'],
    ['https://api.example.com/v1?api_key[]=x&api_key%5Ba%5D=y', 'https://api.example.com/v1?api_key=[REDACTED]'],
    ['https://api.example.com/v1?my_api_key=x', 'https://api.example.com/v1?my_api_key=x&api_key=[REDACTED]'],
    [
      'https://api.example.com/v1?%ff=1#top?api_key=1',
      'https://api.example.com/v1?%ff=1&api_key=[REDACTED]#top?api_key=1',
    ],
  ])('of %s is %s', (targetUrl, shown) => {
    expect(shownTarget(targetUrl, ['api_key'])).toBe(shown);
    expect(shownTarget(shown, ['api_key'])).toBe(shown);
  });
});

describe('the URL that is sent', () => {
  it('has the value in place of the mark, and keeps other parameters as they were written', () => {
    const url = new URL('https://api.example.com/v1?q=a+b&c=%7E&api_key=[REDACTED]#top');
    expect(withQuery(url, { api_key: 's&c=r/t' }).href).toBe(
      'https://api.example.com/v1?q=a+b&c=%7E&api_key=s%26c%3Dr%2Ft',
    );
  });

  it('is the same object if nothing is injected', () => {
    const url = new URL('https://api.example.com/v1#top');
    expect(withQuery(url, {})).toBe(url);
  });

  it('has exactly the injected value, whatever the agent sends', () => {
    const pair = fc.tuple(fc.constantFrom('key', 'KEY', 'key[]', 'k%65y', 'other', '%'), fc.webQueryParameters());
    fc.assert(
      fc.property(fc.array(pair), fc.string({ minLength: 1 }), (pairs, secret) => {
        const query = pairs.map(([name, value]) => `${name}=${value}`).join('&');
        const sent = withQuery(new URL(`https://api.example.com/?${query}`), { key: secret.toWellFormed() });
        expect(sent.searchParams.getAll('key')).toEqual([secret.toWellFormed()]);
        expect([...sent.searchParams.keys()].filter((name) => /^key/i.test(name))).toHaveLength(1);
      }),
    );
  });
});
