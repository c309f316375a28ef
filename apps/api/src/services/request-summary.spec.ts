import fc from 'fast-check';
import type { DocumentedOperationEntity } from '#database';
import { describeRequest, singular } from './request-summary.js';
import type { ServiceView } from './service-view.js';

const BASE = 'https://api.example.com/v1';
const service = { id: 1, name: 'Example', baseUrl: BASE } as ServiceView;
const describeIt = (method: string, path: string, template?: string): string =>
  describeRequest(
    method,
    new URL(BASE + path),
    service,
    template === undefined ? null : ({ path: template } as DocumentedOperationEntity),
  );

describe('describeRequest', () => {
  it.each([
    ['DELETE', '/customers/42', 'DELETE customer 42'],
    ['GET', '/customers', 'GET customers'],
    ['DELETE', '/customers', 'DELETE customers'],
    ['POST', '/issues', 'POST issue'],
    ['GET', '/customers/42/invoices', 'GET invoices of customer 42'],
    ['POST', '/customers/42/refunds', 'POST refund of customer 42'],
    ['POST', '/charges/ch_3MmlLrLkdIwHu7ix/refund', 'POST refund of charge ch_3MmlLrLkdIwHu7ix'],
    ['PATCH', '/users/ada@example.com', 'PATCH user ada@example.com'],
    ['GET', '/b/3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'GET b 3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    ['GET', '/42', 'GET 42'],
    ['GET', '', 'GET Example'],
    ['GET', '/', 'GET Example'],
    ['POST', '/chat.postMessage', 'POST chat.postMessage'],
    ['GET', '/v2/addresses/7', 'GET address 7'],
    ['GET', '/oauth2/token', 'GET token'],
    ['GET', '/customers/4%202', 'GET 4 2'],
  ])('%s %s: %s', (method, path, expected) => {
    expect(describeIt(method, path)).toBe(expected);
  });

  it.each([
    ['DELETE', '/repos/octocat/hello', '/repos/{owner}/{repo}', 'DELETE repo octocat/hello'],
    ['POST', '/repos/octocat/hello/issues', '/repos/{owner}/{repo}/issues', 'POST issue of repo octocat/hello'],
    ['PUT', '/users/ada', '/v1/users/{login}', 'PUT user ada'],
    ['GET', '/users/me42abcdefgh', '/users/me42abcdefgh', 'GET me42abcdefgh'],
  ])('%s %s after the operation %s: %s', (method, path, template, expected) => {
    expect(describeIt(method, path, template)).toBe(expected);
  });

  it('is short, on one line, and without characters that can not be seen', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 8 }), (segments) => {
        const path = segments.map((segment) => `/${encodeURIComponent(segment.toWellFormed())}`).join('');
        const summary = describeIt('DELETE', path);
        expect(Array.from(summary).length).toBeLessThanOrEqual(80);
        expect(summary).toMatch(/^DELETE \S/);
        expect(summary).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('does not let a path turn the sentence round', () => {
    expect(describeIt('DELETE', '/customers/%E2%80%AE42%E2%80%A6')).not.toContain('\u202e');
  });
});

describe('singular', () => {
  it.each([
    ['customers', 'customer'],
    ['companies', 'company'],
    ['addresses', 'address'],
    ['statuses', 'status'],
    ['boxes', 'box'],
    ['branches', 'branch'],
    ['releases', 'release'],
    ['caches', 'cache'],
    ['houses', 'house'],
    ['movies', 'movie'],
    ['status', 'status'],
    ['news', 'news'],
    ['Users', 'User'],
    ['s3', 's3'],
  ])('%s: %s', (many, one) => {
    expect(singular(many)).toBe(one);
  });
});
