import fc from 'fast-check';
import type { Request } from 'express';
import { gatewayUrl } from './gateway-url.js';

const of = (host: string | undefined, protocol = 'http', publicUrl: string | null = null): string =>
  gatewayUrl({ publicUrl, port: 3000 }, { host, protocol } as unknown as Request);

describe('gatewayUrl', () => {
  it('returns PUBLIC_URL regardless of the request', () => {
    expect(of('evil.example', 'http', 'https://gateway.example')).toBe('https://gateway.example');
  });

  it.each(['gateway.example', 'localhost:3000', '127.0.0.1:8080', '[::1]:3000', 'A-b.example'])(
    'uses the host %s',
    (host) => {
      expect(of(host)).toBe(`http://${host}`);
      expect(of(host, 'https')).toBe(`https://${host}`);
    },
  );

  it.each([
    undefined,
    '',
    'a b',
    'x/y',
    'user@host',
    'x?y',
    'x#y',
    'x\\y',
    '-x',
    'x:port',
    'a"b',
    'a\nb',
    '[x]',
    'ü.example',
  ])('ignores the host %p', (host) => {
    expect(of(host)).toBe('http://localhost:3000');
  });

  it('contains only a plain authority, and only the scheme http or https', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (host, protocol) => {
        const url = of(host, protocol);
        expect(url).toMatch(/^https?:\/\/[a-z0-9.:[\]-]+$/i);
        expect(url.startsWith('https') ? protocol : 'https').toBe('https');
      }),
    );
  });
});
