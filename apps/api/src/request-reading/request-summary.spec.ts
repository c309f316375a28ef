import fc from 'fast-check';
import { describeRequest } from './request-summary.js';
import type { ServiceView } from '../service-view/service-view.js';

const BASE = 'https://api.example.com/v1';
const service = { id: 1, name: 'Example', baseUrl: BASE } as ServiceView;
const describeIt = (method: string, path: string, template?: string, summary: string | null = null): string =>
  describeRequest(method, new URL(BASE + path), service, template === undefined ? null : { path: template, summary });

describe('describeRequest', () => {
  it.each([
    ['DELETE', '/customers/42', 'DELETE customer 42'],
    ['GET', '/customers', 'GET customers'],
    ['GET', '/rooms/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3IiwiYSI6MX0.dBjftJeZ4CVP-mB', 'GET room ********'],
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
    ['GET', '/oauth2/token', 'GET token in oauth2'],
    ['GET', '/customers/4%202', 'GET customer “4 2”'],
    ['DELETE', '/api/v1/namespaces/prod/pods/web-1', 'DELETE pod web-1 in prod'],
    ['DELETE', '/namespaces/staging/pods/web-1', 'DELETE pod web-1 in staging'],
    ['DELETE', '/namespaces/prod', 'DELETE namespace prod'],
    ['GET', '/namespaces/prod/pods', 'GET pods in prod'],
    ['DELETE', '/orgs/acme/members/bob', 'DELETE member bob of org acme'],
    ['PUT', '/repos/acme/api/pulls/7/merge', 'PUT merge of pull 7 of repo acme/api'],
    ['DELETE', '/repos/acme/api', 'DELETE repo acme/api'],
    ['POST', '/payment_intents/pi_1/capture', 'POST capture of payment_intent pi_1'],
    ['PUT', '/products/sku-500', 'PUT product sku-500'],
    ['POST', '/admin/users', 'POST user in admin'],
    ['GET', '/users/search', 'GET search in users'],
    [
      'DELETE',
      '/projects/p1/locations/eu/clusters/c1/nodes/n1/disks/d1',
      'DELETE disk d1 of node n1 of cluster c1 of location eu of project p1',
    ],
    ['DELETE', '/namespaces/prod/pods/web-1%20in%20staging', 'DELETE pod “web-1 in staging” in prod'],
  ])('%s %s: %s', (method, path, expected) => {
    expect(describeIt(method, path)).toBe(expected);
  });

  it.each([
    ['/customers/cus_42', '/customers/{id}', 'Delete a customer', 'Delete a customer · cus_42'],
    ['/customers/cus_42', '/v1/customers/{id}', 'Deletes a customer.', 'Deletes a customer · cus_42'],
    [
      '/api/v1/namespaces/prod/pods/web-1',
      '/api/v1/namespaces/{namespace}/pods/{name}',
      'Delete a pod',
      'Delete a pod · web-1 in prod',
    ],
    ['/orgs/acme/members/bob', '/orgs/{org}/members/{user}', 'Remove a member', 'Remove a member · bob of org acme'],
    ['/repos/acme/api', '/repos/{owner}/{repo}', 'Delete a repository', 'Delete a repository · repo acme/api'],
    [
      '/repos/acme/api/pulls/7/merge',
      '/repos/{owner}/{repo}/pulls/{number}/merge',
      'Merge a pull request',
      'Merge a pull request · 7 of repo acme/api',
    ],
    ['/customers/42/refunds', '/customers/{id}/refunds', 'Create a refund', 'Create a refund · customer 42'],
    ['/pull_requests/7', '/pull_requests/{id}', 'Close a pull request', 'Close a pull request · 7'],
    ['/customers/42', '/customers/{id}', 'Update', 'Update · customer 42'],
    ['/admin/settings', '/admin/settings', 'Update the settings', 'Update the settings · admin'],
    ['/customers', '/customers', 'Delete all customers', 'Delete all customers'],
    ['', '/', 'Reset the account', 'Reset the account'],
    ['/pods/web-1%20in%20dev', '/pods/{name}', 'Delete a pod', 'Delete a pod · “web-1 in dev”'],
    ['/pods/a·b', '/pods/{name}', 'Delete a pod', 'Delete a pod · “a·b”'],
    ['/pods/a', '/pods/{name}', ' ', 'DELETE pod a'],
    ['/pods/a', '/pods/{name}', 'delete a **pod**.', 'Delete a pod · a'],
    ['/pods/a', '/pods/{name}', '[Delete](https://x.example) a `pod`', 'Delete a pod · a'],
  ])('uses the summary of the operation: %s, %s, %s', (path, template, summary, expected) => {
    expect(describeIt('DELETE', path, template, summary)).toBe(expected);
  });

  it('does not use the summary where method and path do not decide', () => {
    const operation = { path: '/graphql', summary: 'Run a query' };
    const url = new URL(`${BASE}/graphql`);
    const stated = { by: 'graphql', words: 'mutation deleteRepository' } as const;
    expect(describeRequest('POST', url, service, operation, stated)).toBe('POST graphql: mutation deleteRepository');
    expect(describeIt('GET', '/customers/42%2Fpayouts', '/customers/{id}', 'Look up a customer')).toBe(
      'GET customer 42/payouts',
    );
  });

  it('cuts a long summary, and keeps the target', () => {
    const title = describeIt('DELETE', '/orgs/acme/members/bob', '/orgs/{org}/members/{user}', 'Remove '.repeat(60));
    expect(title).toMatch(/^Remove .*… · member bob of org acme$/);
    expect(Array.from(title)).toHaveLength(120);
    const long = 'x'.repeat(300);
    const both = describeIt(
      'DELETE',
      `/orgs/${long}/teams/${long}/members/${long}`,
      '/orgs/{o}/teams/{t}/members/{m}',
      long,
    );
    expect(both).toMatch(/^x+… · member x+…x+ of team x+…x+ of org x+…x+$/i);
    expect(both.length).toBeLessThanOrEqual(120);
  });

  it.each([
    ['DELETE', '/repos/octocat/hello', '/repos/{owner}/{repo}', 'DELETE repo octocat/hello'],
    ['POST', '/repos/octocat/hello/issues', '/repos/{owner}/{repo}/issues', 'POST issue of repo octocat/hello'],
    ['PUT', '/users/ada', '/v1/users/{login}', 'PUT user ada'],
    ['GET', '/users/me42abcdefgh', '/users/me42abcdefgh', 'GET me42abcdefgh in users'],
  ])('%s %s after the operation %s: %s', (method, path, template, expected) => {
    expect(describeIt(method, path, template)).toBe(expected);
  });

  it('is short, on one line, and without invisible characters', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 8 }), (segments) => {
        const path = segments.map((segment) => `/${encodeURIComponent(segment.toWellFormed())}`).join('');
        const summary = describeIt('DELETE', path);
        expect(Array.from(summary).length).toBeLessThanOrEqual(120);
        expect(summary).toMatch(/^DELETE \S/);
        expect(summary).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  describe('when two paths act on different things', () => {
    const name = fc.constantFrom('namespaces', 'orgs', 'repos', 'pods', 'users', 'admin', 'merge', 'export', 'b');
    const id = fc.constantFrom('prod', 'staging', 'acme', 'web-1', '42', 'pi_1', 'sku-500', 'bob', 'cus_9aQ');
    const path = fc.array(fc.tuple(name, id), { minLength: 1, maxLength: 3 }).map((pairs) => pairs.flat());

    it('differs without a document', () => {
      fc.assert(
        fc.property(path, fc.nat(), id, (segments, at, other) => {
          const changed = segments.with(at % segments.length, other);
          fc.pre(changed.join('/') !== segments.join('/'));
          const [one, two] = [segments, changed].map((each) => describeIt('DELETE', `/${each.join('/')}`));
          expect([segments, changed, one]).not.toEqual([segments, changed, two]);
        }),
        { numRuns: 2_000 },
      );
    });

    it('differs in every parameter of a documented operation', () => {
      fc.assert(
        fc.property(path, fc.nat(), id, (segments, at, other) => {
          const changed = segments.with((at % (segments.length / 2)) * 2 + 1, other);
          fc.pre(changed.join('/') !== segments.join('/'));
          const template = `/${segments.map((text, index) => (index % 2 === 0 ? text : '{id}')).join('/')}`;
          const [one, two] = [segments, changed].map((each) =>
            describeIt('DELETE', `/${each.join('/')}`, template, 'Remove a user from an org'),
          );
          expect(one).toMatch(/^Remove a user from an org · /);
          expect([segments, changed, one]).not.toEqual([segments, changed, two]);
        }),
        { numRuns: 2_000 },
      );
    });
  });

  it('keeps the owner, however long the names are', () => {
    const long = 'x'.repeat(300);
    const summary = describeIt('DELETE', `/orgs/acme/teams/${long}/members/${long}`);
    expect(summary).toMatch(/^DELETE member x+…x+ of team x+…x+ of org acme$/);
    expect(summary.length).toBeLessThanOrEqual(120);
    const deep = Array.from({ length: 20 }, (_, i) => `/things${i % 2 ? 'a' : ''}s/name-of-thing-${i}`).join('');
    expect(describeIt('DELETE', `/orgs/acme${deep}`)).toMatch(
      /^DELETE \S+ name-o…ng-19 of \S+ name-o…ng-18 … .* of org acme$/,
    );
  });

  it('does not let a path reverse the direction of the sentence', () => {
    expect(describeIt('DELETE', '/customers/%E2%80%AE42%E2%80%A6')).not.toContain('\u202e');
    expect(describeIt('DELETE', '/pods/a', '/pods/{name}', 'Delete\n a \u202epod')).toBe('Delete a pod · a');
  });
});
