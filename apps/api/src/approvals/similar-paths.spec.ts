import { similarPaths } from './similar-paths.js';

const BASE = 'https://api.example.com/v1';
const similar = (path: string, template?: string) =>
  similarPaths(new URL(BASE + path), BASE, template === undefined ? null : { path: template });

describe('similarPaths', () => {
  it.each([
    ['/customers/42', '/customers/*', null],
    ['/customers/42/refunds', '/customers/42/refunds', '/customers/*/refunds'],
    ['/customers/42/refunds/7', '/customers/42/refunds/*', '/customers/*/refunds/*'],
    ['/payment_intents/pi_1/capture', '/payment_intents/*/capture', null],
    ['/namespaces/prod/pods/web-1', '/namespaces/prod/pods/*', '/namespaces/*/pods/*'],
    ['/namespaces/prod', '/namespaces/prod', '/namespaces/*'],
    ['/orgs/acme/members/bob', '/orgs/acme/members/*', '/orgs/*/members/*'],
    ['/orgs/acme/archive', '/orgs/acme/archive', '/orgs/*/archive'],
    ['/repos/acme/api', '/repos/acme/api', '/repos/*/*'],
    ['/repos/acme/api/pulls/7/merge', '/repos/acme/api/pulls/*/merge', '/repos/*/*/pulls/*/merge'],
    ['/customers', '/customers', null],
  ])('suggests for %s the pattern %s and the wider pattern %s', (path, pattern, wider) => {
    expect(similar(path)).toEqual({ pattern, wider });
  });

  it('keeps the owner that the documentation names', () => {
    expect(similar('/repos/acme/api/labels/bug', '/repos/{owner}/{repo}/labels/{name}')).toEqual({
      pattern: '/repos/acme/api/labels/*',
      wider: '/repos/*/*/labels/*',
    });
    expect(similar('/acme/things/x', '/{owner}/things/{thing}')!.pattern).toBe('/acme/things/*');
  });

  it.each(['/{tenant}/objects/{key+}/acl', '/v1/{tenant}/objects/{key+}/acl'])(
    'guesses what a parameter of several segments holds: %s',
    (template) => {
      expect(similar('/acme/objects/a/b/acl', template)).toEqual({
        pattern: '/acme/objects/*/b/acl',
        wider: '/*/objects/*/b/acl',
      });
    },
  );

  it('offers no wider pattern with more wildcards than a rule may have', () => {
    expect(similar(`/${Array.from({ length: 9 }, (_, i) => `as/${i}`).join('/')}`)!.wider).toBeNull();
  });

  it.each(['/orders//42', '/orders/a%2fb', '/orders/*', '/orders/4;x'])('makes no pattern of %s', (path) => {
    expect(similar(path)).toBeNull();
  });
});
