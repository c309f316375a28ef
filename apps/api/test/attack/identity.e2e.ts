import { call } from '../support/accounts.js';
import { apiRoutes, type ApiRoute } from '../support/api-routes.js';
import { dumpDatabase } from '../support/database-dump.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { createTwoUsers, MARK, type Belongings } from '../support/two-users.js';
import { headersFor, pathFor, validBody } from '../support/valid-requests.js';

let gateway: Gateway;
let routes: ApiRoute[];
let ada: Belongings;
let bob: Belongings;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  routes = await apiRoutes(gateway.app);
  ({ ada, bob } = await createTwoUsers(gateway));
});
afterAll(() => gateway?.close());

/**
 * All tables, without the times of last use, which every request changes, and without the mark of `UsageFold`, which
 * moves every ten minutes.
 */
async function state(): Promise<string> {
  await gateway.app.settled();
  const tables = await dumpDatabase((sql) => gateway.app.database.query<Record<string, unknown>[]>(sql));
  const { agents, sessions, workspace_members: members, ...rest } = tables;
  const withoutUse = [...agents, ...sessions, ...members].map((row) => row.replace(/"last_\w+_at":[^,}]+,?/g, ''));
  const { audit_records: _records, login_attempts: _attempts, usage_fold: _mark, ...kept } = rest;
  return JSON.stringify([withoutUse, kept], null, 1);
}

describe('a resource of another user', () => {
  it('is not found under any id of any endpoint, and does not change', async () => {
    // A HEAD response has no body to check.
    const withIds = routes.filter(
      // The endpoints of the installation answer 403 whatever the id (roles.e2e.ts).
      ({ params, guard, name }) => params.length > 0 && guard !== null && !/^HEAD| \/admin\//.test(name),
    );
    expect(withIds.length).toBeGreaterThanOrEqual(26);
    const before = await state();
    const upstreamCalls = gateway.upstream.calls.length;
    for (const route of withIds) {
      // Also tries nested resources below a service of the requesting user.
      const mixes = route.params.length > 1 ? [[], [route.params[0]]] : [[]];
      for (const own of mixes) {
        const path = pathFor(route, (param) => (own.includes(param) ? bob : ada));
        const body = validBody(gateway, route, bob);
        const answer = await call(gateway.app, `${route.method} ${path}`, { headers: headersFor(route, bob), body });
        expect([route.name, answer.status, answer.body.statusCode]).toEqual([route.name, 404, 404]);
        expect(JSON.stringify(answer.body)).not.toContain(MARK);
      }
    }
    expect(await state()).toBe(before);
    expect(gateway.upstream.calls.length).toBe(upstreamCalls);
  });

  it('is not found under an id in a body', async () => {
    const before = await state();
    const serviceIds = [Number(bob.ids.service), Number(ada.ids.service)];
    const assess = routes.find(({ name }) => name === 'POST /risk/assess')!;
    const foreign: [string, object][] = [
      ['POST /agents', { name: 'New agent', serviceIds }],
      [`PUT /agents/${bob.ids.agent}/services`, { serviceIds }],
      ['POST /risk/assess', validBody(gateway, assess, ada)!],
    ];
    for (const [route, body] of foreign) {
      expect([route, (await call(gateway.app, route, { token: bob.token, body })).status]).toEqual([route, 404]);
    }
    expect(await state()).toBe(before);
  });

  it('appears in no list, count, filter or export', async () => {
    const lists = routes.filter(
      ({ method, params, guard, path }) =>
        method === 'GET' && params.length === 0 && guard === 'bearer' && !path.startsWith('/admin/'),
    );
    const needed: Record<string, [string, string][]> = {
      '/audit/export': [['format', 'ndjson']],
      '/audit/usage/agents': [['agentIds', String(ada.ids.agent)]],
    };
    for (const { path, name } of lists.filter(({ path }) => path !== '/events')) {
      const ids = `agentId=${ada.ids.agent}&serviceId=${ada.ids.service}`;
      // Searches for a part of the mark, because the audit record of an export contains its filters.
      const queries = ['', `?${ids}`, `?q=${MARK.slice(0, -1)}`, `?status=ALL`, `?actionId=${ada.ids.action}`];
      for (const query of queries) {
        const url = new URL(gateway.url + path + query);
        for (const [parameter, value] of needed[path] ?? []) url.searchParams.set(parameter, value);
        const response = await fetch(url, { headers: { Authorization: `Bearer ${bob.token}` } });
        expect([name, query, response.status]).toEqual([name, query, 200]);
        expect([name, (await response.text()).includes(MARK)]).toEqual([name, false]);
      }
    }
    const own = await fetch(`${gateway.url}/audit?q=${MARK}`, { headers: { Authorization: `Bearer ${ada.token}` } });
    expect(await own.text()).toContain(MARK);
  });
});

it('opens no guarded endpoint without a credential or with a credential of the other kind', async () => {
  const guarded = routes.filter(({ guard }) => guard !== null);
  expect(routes.filter(({ guard }) => guard === null).map(({ name }) => name)).toEqual([
    // Its signature guards it (slack-decisions.e2e.ts).
    'POST /hooks/slack/{channelId}',
    // The state and its cookie protect this endpoint (oauth-connect.e2e.ts).
    'GET /oauth/callback',
    'GET /auth/setup',
    'POST /auth/login',
    'POST /auth/refresh',
    'POST /auth/logout',
    'GET /auth/methods',
    // The state and its cookie guard the answer (openid.e2e.ts).
    'GET /auth/oidc/start',
    'GET /auth/oidc/callback',
    // The challenge, its cookie and the signature guard the answer (passkeys.e2e.ts).
    'POST /auth/passkeys/login/options',
    'POST /auth/passkeys/login',
    // The token of the link guards it (invitations.e2e.ts).
    'POST /invitations/open',
    'POST /auth/register',
    'GET /SKILL.md',
    'GET /llms.txt',
    'GET /health',
    'GET /ready',
    // METRICS_TOKEN guards it (metrics.e2e.ts).
    'GET /metrics',
  ]);
  for (const route of guarded) {
    const wrong =
      route.guard === 'bearer'
        ? [{}, { 'Agent-Key': ada.agentKey }, { Authorization: `Bearer ${ada.agentKey}` }]
        : [{}, { Authorization: `Bearer ${ada.token}` }, { 'Agent-Key': ada.token }];
    for (const headers of wrong as Record<string, string>[]) {
      const answer = await call(gateway.app, `${route.method} ${pathFor(route, () => ada)}`, {
        headers,
        body: validBody(gateway, route, ada),
      });
      expect([route.name, answer.status]).toEqual([route.name, 401]);
    }
  }
});
