import { timesAsLong } from '../test/linear-time.js';
import { allowlistKey, assertTargetAllowed, EgressRefusal, parseTarget } from './target.js';

const BASE = 'https://api.example.com/v1';

function refusal(targetUrl: string, baseUrl = BASE, allowlist: string[] = []): Pick<EgressRefusal, 'code' | 'message'> {
  try {
    assertTargetAllowed(targetUrl, baseUrl, { privateAllowlist: new Set(allowlist) });
  } catch (error) {
    if (error instanceof EgressRefusal) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error(`${targetUrl} was allowed`);
}

const allow = (targetUrl: string, baseUrl = BASE, allowlist: string[] = []): string =>
  assertTargetAllowed(targetUrl, baseUrl, { privateAllowlist: new Set(allowlist) }).href;

describe('assertTargetAllowed', () => {
  it.each([
    '',
    '/',
    '?x=1',
    '#x',
    '/x',
    '/x?next=/../..',
    '/users/1',
    '/./x',
    '/x/../y',
    '/a%20b',
    '/caf%C3%A9',
    '/é',
    '/@me',
    '/a;b=c',
    '/x//y',
  ])('allows the base URL followed by "%s"', (rest) => {
    expect(allow(BASE + rest)).toMatch(/^https:\/\/api\.example\.com\/v1([/?#]|$)/);
  });

  it('keeps encoded slashes in ids unchanged', () => {
    expect(allow(`${BASE}/projects/group%2Fname/issues`)).toBe(`${BASE}/projects/group%2Fname/issues`);
    expect(allow(`${BASE}/projects/group%252Fname`)).toBe(`${BASE}/projects/group%252Fname`);
    expect(allow(`${BASE}/x%2f..%2fy`)).toBe(`${BASE}/x%2f..%2fy`);
  });

  it('ignores default ports and the letter case of hosts', () => {
    expect(allow('HTTPS://API.Example.COM:443/v1/x')).toBe(`${BASE}/x`);
    expect(allow(`${BASE}/x`, 'https://api.example.com:443/v1')).toBe(`${BASE}/x`);
  });

  it('allows everything on the host if the base URL has no path', () => {
    expect(allow('https://api.example.com/a/b', 'https://api.example.com')).toBe('https://api.example.com/a/b');
  });

  it.each([
    ['ftp://api.example.com/v1', 'scheme', 'Only HTTP and HTTPS protocols are allowed'],
    ['not a url', 'invalid_url', 'targetUrl: must be a valid URL'],
    ['https://u:p@api.example.com/v1', 'user_info', 'targetUrl: must not contain user information'],
    ['https://@api.example.com/v1', 'user_info', 'targetUrl: must not contain user information'],
    [
      'https://evil.example/v1',
      'host_mismatch',
      'Target hostname (evil.example) does not match service baseUrl (api.example.com)',
    ],
    [
      'https://api.example.com:8443/v1',
      'host_mismatch',
      'Target hostname (api.example.com:8443) does not match service baseUrl (api.example.com:443)',
    ],
    [
      'http://api.example.com:443/v1',
      'host_mismatch',
      'Target hostname (http://api.example.com:443) does not match service baseUrl (https://api.example.com:443)',
    ],
    ['https://api.example.com/v1evil', 'path_mismatch', 'Target path must start with service baseUrl path (/v1)'],
    [
      'https://api.example.com/v1/%2e%2e%2fadmin',
      'path_mismatch',
      'Target path must start with service baseUrl path (/v1)',
    ],
  ])('refuses %s as %s', (targetUrl, code, message) => {
    expect(refusal(targetUrl)).toEqual({ code, message });
  });

  it.each([
    'http://127.0.0.1',
    'http://[::1]',
    'http://169.254.169.254',
    'http://2130706433',
    'http://metadata.google.internal',
  ])('refuses %s even if it is registered', (origin) => {
    expect(refusal(`${origin}/x`, origin)).toEqual({
      code: 'private_address',
      message: 'Access to private IP ranges is forbidden',
    });
  });

  it.each(['http://localhost', 'http://LOCALHOST.:3000', 'http://a.localhost', 'https://ip6-localhost'])(
    'refuses %s even if it is registered',
    (origin) => {
      expect(refusal(`${origin}/x`, origin)).toEqual({
        code: 'localhost',
        message: 'Access to localhost is forbidden',
      });
    },
  );

  it('allows an allowlisted host and port, and no other port, host or path', () => {
    const allowlist = ['127.0.0.1:8080', '[::1]:80', 'localhost:443'];
    expect(allow('http://127.0.0.1:8080/v1/x', 'http://127.0.0.1:8080/v1', allowlist)).toBe(
      'http://127.0.0.1:8080/v1/x',
    );
    expect(allow('http://[::1]/', 'http://[::1]', allowlist)).toBe('http://[::1]/');
    expect(allow('https://localhost/', 'https://localhost', allowlist)).toBe('https://localhost/');
    expect(refusal('http://127.0.0.1:8081/', 'http://127.0.0.1:8081', allowlist).code).toBe('private_address');
    expect(refusal('http://localhost/', 'http://localhost', allowlist).code).toBe('localhost');
    expect(refusal('http://127.0.0.1:8080/admin', 'http://127.0.0.1:8080/v1', allowlist).code).toBe('path_mismatch');
    expect(refusal('http://127.0.0.1:8080/v1/x', BASE, allowlist).code).toBe('host_mismatch');
  });

  it('refuses an allowlisted host and port, like any private address, if the list may not be used', () => {
    const privateAllowlist = new Set(['127.0.0.1:8080', 'billing.internal:443', 'localhost:443']);
    for (const [origin, message] of [
      ['http://127.0.0.1:8080', 'Access to private IP ranges is forbidden'],
      ['https://billing.internal', 'Access to private IP ranges is forbidden'],
      ['https://localhost', 'Access to localhost is forbidden'],
    ]) {
      const target = `${origin}/x`;
      expect(assertTargetAllowed(target, origin, { privateAllowlist, mayUsePrivate: true }).href).toBe(target);
      expect(() => assertTargetAllowed(target, origin, { privateAllowlist, mayUsePrivate: false })).toThrow(message);
    }
    expect(assertTargetAllowed(BASE, BASE, { privateAllowlist, mayUsePrivate: false }).href).toContain('https://');
  });

  it('refuses the gateway’s own targets, allowlisted or not, also with a trailing dot', () => {
    const options = {
      ownTargets: new Set(['gateway.example:443', '127.0.0.1:3000']),
      privateAllowlist: new Set(['127.0.0.1:3000']),
    };
    for (const origin of ['https://gateway.example', 'https://gateway.example.', 'http://127.0.0.1:3000']) {
      expect(() => assertTargetAllowed(`${origin}/auth/me`, origin, options)).toThrow(
        'Access to the gateway itself is forbidden',
      );
    }
    const neighbour = 'https://gateway.example:8443';
    expect(assertTargetAllowed(neighbour, neighbour, options).host).toBe('gateway.example:8443');
  });
});

it('parseTarget allows "@" outside the authority', () => {
  expect(parseTarget('https://h.example/@x?y=@#@').href).toBe('https://h.example/@x?y=@#@');
  expect(parseTarget('https://h.example?mail=a@b.example').hostname).toBe('h.example');
});

it('allowlistKey includes the default port', () => {
  expect(allowlistKey(new URL('http://Host.example/'))).toBe('host.example:80');
  expect(allowlistKey(new URL('https://[::1]/'))).toBe('[::1]:443');
  expect(allowlistKey(new URL('http://h:8080'))).toBe('h:8080');
});

it('parseTarget reads long hosts in linear time', async () => {
  const read = (length: number) => () => {
    const url = `http:${'a'.repeat(length)}?@`;
    for (let round = 0; round < 100; round++) parseTarget(url);
  };
  // The text is eight times as long: a quadratic pattern needs 64 times as long.
  expect(await timesAsLong(read(8000), read(1000))).toBeLessThan(24);
});
