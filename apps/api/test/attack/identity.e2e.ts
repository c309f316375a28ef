import type {
  AuditPage,
  CallbackDelivery,
  CallbackDeliveryPage,
  CreateAgentResponse,
  RiskRule,
  Service,
  ServiceDocument,
  Session,
} from '#contracts';
import { call, login, PASSWORD, register } from '../support/accounts.js';
import { apiRoutes, type ApiRoute } from '../support/api-routes.js';
import { dumpDatabase } from '../support/database-dump.js';
import { eventually } from '../support/eventually.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { createAgent, createDocument, createRule, createService } from '../support/resources.js';

/** The credentials and resources of one user, which another user may try to reach. */
interface Belongings {
  token: string;
  agentKey: string;
  ids: Record<
    | 'service'
    | 'agent'
    | 'document'
    | 'rule'
    | 'action'
    | 'record'
    | 'session'
    | 'delivery'
    | 'workspace'
    | 'member'
    | 'invitation'
    | 'token'
    | 'identity'
    | 'channel'
    | 'passkey'
    | 'slackLink',
    string
  >;
}

/** Part of everything that belongs to Ada and that other users must not see. */
const MARK = 'only-for-ada';

/** Well-formed, but signed by nobody. */
const NO_PASSKEY = {
  id: 'AA',
  rawId: 'AA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', attestationObject: 'AA', authenticatorData: 'AA', signature: 'AA' },
};

let gateway: Gateway;
let routes: ApiRoute[];
let ada: Belongings;
let bob: Belongings;

async function createBelongings(token: string, mark: string): Promise<Belongings> {
  const { app } = gateway;
  const service = await createService(app, token, { name: `${mark} service`, baseUrl: `${gateway.upstream.url}/v1` });
  const { agent, apiKey } = await createAgent(app, token, [service.id], `${mark} agent`);
  const document = await createDocument(app, token, service.id, { title: mark, content: mark });
  const rule = await createRule(app, token, service.id, { name: mark, effect: 'require_approval', methods: ['PUT'] });
  const held = await gateway.hold({ intent: mark }, { 'Agent-Key': apiKey });
  const callback = `/agents/${agent.id}/callback`;
  await call(app, `PUT ${callback}`, { token, body: { url: `${gateway.upstream.url}/${mark}` } });
  const delivery = (await call<CallbackDelivery>(app, `POST ${callback}/test`, { token })).body;
  await eventually(async () => {
    const { body } = await call<CallbackDeliveryPage>(app, `GET ${callback}/deliveries`, { token });
    return body.items[0].state === 'delivered';
  });
  const audit = await call<AuditPage>(app, `GET /audit?agentId=${agent.id}`, { token });
  const own = service.userId;
  const invitation = await call<{ id: number }>(app, `POST /workspaces/${own}/invitations`, {
    token,
    body: { email: `${mark}@example.com`, role: 'auditor' },
  });
  const tomorrow = new Date(app.clock.nowMs() + 86_400_000).toISOString();
  const made = await call<{ id: number }>(app, 'POST /auth/tokens', {
    token,
    body: { name: mark, workspaceId: own, role: 'owner', expiresAt: tomorrow },
  });
  // The channel sends nothing, so that it does not change while the tests compare the tables.
  const channel = await call<{ id: number }>(app, 'POST /channels', {
    token,
    body: { type: 'webhook', name: mark, target: `${gateway.upstream.url}/${mark}`, events: [] },
  });
  const [identity]: { id: number }[] = await app.database.query(
    `INSERT INTO identities (user_id, issuer, subject, email, created_at, last_used_at)
     VALUES ($1, 'https://id.example.com', $2, $2, now(), now()) RETURNING id`,
    [own, mark],
  );
  const [passkey]: { id: number }[] = await app.database.query(
    `INSERT INTO passkeys (user_id, user_handle, credential_id, public_key, counter, transports, name, created_at)
     VALUES ($1, $2, $2, '', 0, '{}', $2, now()) RETURNING id`,
    [own, mark],
  );
  const [slackLink]: { id: number }[] = await app.database.query(
    `INSERT INTO slack_links (channel_id, slack_user_id, slack_name, workspace_id, user_id, linked_at)
     VALUES ($1, $2, $2, $3, $3, now()) RETURNING id`,
    [channel.body.id, mark, own],
  );
  const sessions = (await call<Session[]>(app, 'GET /auth/sessions', { token })).body;
  return {
    token,
    agentKey: apiKey,
    ids: {
      service: String(service.id),
      agent: String(agent.id),
      document: String(document.id),
      rule: String(rule.id),
      action: held.action_id,
      record: audit.body.items[0].id,
      session: sessions.find(({ current }) => current)!.id,
      delivery: delivery.id,
      // An account's own workspace has the id of the account.
      workspace: String(own),
      member: String(own),
      invitation: String(invitation.body.id),
      token: String(made.body.id),
      identity: String(identity.id),
      channel: String(channel.body.id),
      passkey: String(passkey.id),
      slackLink: String(slackLink.id),
    },
  };
}

beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  routes = await apiRoutes(gateway.app);
  await register(gateway.app, 'bob@example.com');
  ada = await createBelongings(gateway.token, MARK);
  bob = await createBelongings((await login(gateway.app, 'bob@example.com')).accessToken, 'bobs');
  await call(gateway.app, 'POST /auth/confirm', { token: bob.token, body: { password: PASSWORD } });
});
afterAll(() => gateway?.close());

/** The resource that a path parameter names. */
function resourceKind({ path }: ApiRoute, param: string): keyof Belongings['ids'] {
  if (param === 'docId') return 'document';
  if (param === 'ruleId') return 'rule';
  if (param === 'actionId') return 'action';
  if (param === 'recordId') return 'record';
  if (param === 'deliveryId') return 'delivery';
  if (param === 'userId') return 'member';
  if (param === 'invitationId') return 'invitation';
  // These parameters name a service by name instead of id; the rest of the path belongs to the upstream.
  if (param === 'service' || param === 'path') return 'service';
  const [, collection] = /^\/(?:auth\/oidc\/|auth\/|admin\/)?([\w-]+)\/\{/.exec(path) ?? [];
  const kinds = {
    services: 'service',
    agents: 'agent',
    sessions: 'session',
    workspaces: 'workspace',
    tokens: 'token',
    identities: 'identity',
    channels: 'channel',
    passkeys: 'passkey',
    'slack-links': 'slackLink',
  } as const;
  if (!(collection in kinds)) throw new Error(`${path}: add the resource that {${param}} names to this function.`);
  return kinds[collection as keyof typeof kinds];
}

/** A body that the endpoint accepts from the owner of `own`. */
function validBody({ name, fields }: ApiRoute, own: Belongings): object | undefined {
  if (fields === null) return undefined;
  const serviceId = Number(own.ids.service);
  const target = `${gateway.upstream.url}/v1/x`;
  const bodies: Record<string, object> = {
    'POST /auth/register': { email: `new-${Date.now()}@example.com`, password: PASSWORD },
    'POST /auth/login': { email: 'bob@example.com', password: PASSWORD },
    'POST /auth/refresh': {},
    'POST /auth/logout': {},
    'PATCH /auth/me': { name: 'Robert' },
    'POST /auth/password': { currentPassword: PASSWORD, newPassword: PASSWORD },
    'POST /auth/confirm': { password: PASSWORD },
    'POST /auth/passkeys': { name: 'New', passkey: NO_PASSKEY },
    'POST /auth/passkeys/login': { passkey: NO_PASSKEY },
    'PATCH /auth/passkeys/{id}': { name: 'Renamed' },
    'POST /services': { name: 'New', baseUrl: target, authType: 'bearer', credentials: { token: 'a-new-token' } },
    'POST /services/test': {
      service: { name: 'New', baseUrl: target, authType: 'bearer', credentials: { token: 'a-new-token' } },
    },
    'PUT /services/{id}': { name: 'Renamed' },
    'POST /services/{id}/credentials': { credentials: { token: 'another-token' } },
    'PUT /services/{id}/credentials': { credentials: { token: 'another-token' } },
    'POST /services/{id}/test': { method: 'GET' },
    'POST /services/{id}/credentials/test': { credentials: { token: 'another-token' }, method: 'GET' },
    'POST /services/{id}/documentation': { type: 'text', title: 'New', content: 'New' },
    'PUT /services/{id}/documentation/{docId}': { title: 'Renamed' },
    'POST /services/{id}/risk-rules': { name: 'New', effect: 'guidance', instruction: 'Be kind' },
    'POST /services/{id}/risk-rules/preview': { name: 'New', effect: 'deny' },
    'POST /services/{id}/risk-rules/backtest': { rule: { name: 'New', effect: 'deny' } },
    'PUT /services/{id}/risk-rules/{ruleId}': { name: 'Renamed' },
    'POST /agents': { name: 'New agent', serviceIds: [serviceId] },
    'PUT /agents/{id}': { name: 'Renamed' },
    'PUT /agents/{id}/services': { serviceIds: [serviceId] },
    'POST /agents/{id}/rotate-key': { graceMinutes: 5 },
    'PUT /agents/{id}/callback': { url: `${gateway.upstream.url}/callback` },
    'PUT /agent/callback': { url: `${gateway.upstream.url}/callback` },
    'POST /services/{id}/credentials/confirm': { hosts: ['api.example.com'] },
    'POST /channels': { type: 'webhook', name: 'New', target: `${gateway.upstream.url}/new`, events: [] },
    'PUT /channels/{id}': { name: 'Renamed' },
    'POST /workspaces': { name: 'New' },
    'PUT /workspaces/{id}': { name: 'Renamed' },
    'PUT /workspaces/{id}/import': { version: 1, services: [], agents: [] },
    'POST /workspaces/{id}/pause': { reason: 'Mine' },
    'PUT /workspaces/{id}/members/{userId}': { role: 'owner' },
    'POST /workspaces/{id}/invitations': { email: `i-${Date.now()}@example.com`, role: 'auditor' },
    'POST /auth/tokens': {
      name: 'New',
      workspaceId: Number(own.ids.workspace),
      role: 'auditor',
      expiresAt: new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString(),
    },
    'POST /slack-links': { token: 'a'.repeat(64) },
    'POST /slack-links/view': { token: 'a'.repeat(64) },
    'POST /invitations/accept': { token: 'none' },
    'PUT /admin/workspaces/{id}': { privateTargets: false },
    'POST /risk/assess': { serviceId, method: 'GET', targetUrl: target, intent: 'look' },
    'PATCH /approvals/{actionId}/approve': { note: 'fine' },
    'PATCH /approvals/{actionId}/deny': { note: 'no' },
    'PATCH /approvals/{actionId}/withdraw': { note: 'no' },
    'POST /approvals/{actionId}/revise': { headers: { 'X-Revised': 'yes' } },
    'POST /proxy': { targetUrl: target, method: 'GET', intent: 'look' },
    'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  };
  if (!bodies[name]) throw new Error(`${name} accepts a body that this test does not have. Add it here.`);
  return bodies[name];
}

function headersFor({ guard, path }: ApiRoute, { token, agentKey }: Belongings): Record<string, string> {
  if (guard === 'bearer') return { Authorization: `Bearer ${token}` };
  // Below a base URL, a POST needs an idempotency key, which would leave a record of its own.
  const trial: Record<string, string> = path.startsWith('/s/') ? { Prefer: 'handling=dry-run' } : {};
  return guard === 'agentKey' ? { 'Agent-Key': agentKey, ...trial } : {};
}

const fill = (route: ApiRoute, owner: (param: string) => Belongings): string =>
  route.path.replace(/\{(\w+)\}/g, (_, param: string) => owner(param).ids[resourceKind(route, param)]);

const dump = () => dumpDatabase((sql) => gateway.app.database.query<Record<string, unknown>[]>(sql));

/** All tables, without the times of last use, which every request changes. */
async function state(): Promise<string> {
  await gateway.app.settled();
  const { agents, sessions, workspace_members: members, ...rest } = await dump();
  const withoutUse = [...agents, ...sessions, ...members].map((row) => row.replace(/"last_\w+_at":[^,}]+,?/g, ''));
  const { audit_records: _records, login_attempts: _attempts, ...kept } = rest;
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
        const path = fill(route, (param) => (own.includes(param) ? bob : ada));
        const body = validBody(route, bob);
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
    const foreign: [string, object][] = [
      ['POST /agents', { name: 'New agent', serviceIds }],
      [`PUT /agents/${bob.ids.agent}/services`, { serviceIds }],
      [
        'POST /risk/assess',
        validBody(
          routes.find(({ name }) => name === 'POST /risk/assess')!,
          ada,
        )!,
      ],
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
  ]);
  for (const route of guarded) {
    const wrong =
      route.guard === 'bearer'
        ? [{}, { 'Agent-Key': ada.agentKey }, { Authorization: `Bearer ${ada.agentKey}` }]
        : [{}, { Authorization: `Bearer ${ada.token}` }, { 'Agent-Key': ada.token }];
    for (const headers of wrong as Record<string, string>[]) {
      const answer = await call(gateway.app, `${route.method} ${fill(route, () => ada)}`, {
        headers,
        body: validBody(route, ada),
      });
      expect([route.name, answer.status]).toEqual([route.name, 401]);
    }
  }
});

describe('mass assignment', () => {
  const DATE = '2001-02-03T04:05:06.000Z';
  const HASH = 'f00df00d'.repeat(8);
  // Long enough not to appear by chance in stored hashes and ids.
  const MARKS = /f00df00d|424242424|2001-02-03/;
  const NUMBER = 424_242_424;
  const values = (userId: number): Record<string, unknown> => ({
    ...Object.fromEntries(
      ['id', 'uses', 'timesAsked', 'times_asked', 'epoch', 'expiresIn'].map((name) => [name, NUMBER]),
    ),
    ...Object.fromEntries(['keyHash', 'key_hash', 'passwordHash', 'password_hash'].map((name) => [name, HASH])),
    ...Object.fromEntries(
      [
        'createdAt',
        'updatedAt',
        'lastUsedAt',
        'created_at',
        'resolvedAt',
        'resolved_at',
        'approvalExpiresAt',
        'expiresAt',
      ].map((name) => [name, DATE]),
    ),
    userId,
    user_id: userId,
    user: { id: userId },
    owner: userId,
    resolvedBy: userId,
    keyPrefix: 'agt_f00df00d',
    apiKey: `agt_${HASH}`,
    isActive: false,
    isAdmin: true,
    role: 'f00df00d-admin',
    status: 'EXECUTED',
    email: 'f00df00d@example.com',
    encryptedValue: HASH,
    credentials: { token: 'f00df00d-credential' },
    prototype: { isAdmin: true },
  });

  it('sets no field that the endpoint does not accept', async () => {
    const adaId = gateway.agent.userId;
    const ownedByAda = async (): Promise<string> =>
      JSON.stringify(
        await gateway.app.database.query(
          `SELECT (SELECT count(*) FROM services WHERE workspace_id = $1), (SELECT count(*) FROM agents WHERE workspace_id = $1),
             (SELECT count(*) FROM actions WHERE workspace_id = $1), (SELECT count(*) FROM sessions WHERE user_id = $1)`,
          [adaId],
        ),
      );
    const before = await ownedByAda();
    gateway.model.answer({ score: 0 });
    // An import refuses unknown fields (configuration-refusals.e2e.ts). A link from Slack needs a token that Slack
    // shows.
    const writes = routes.filter(
      ({ fields, name }) =>
        fields !== null &&
        !/logout|refresh|password|oidc|accept|invitations\/open|admin|import|slack-links|POST .*passkeys/.test(name),
    );
    expect(writes.length).toBeGreaterThanOrEqual(19);
    for (const route of writes) {
      const extra = Object.fromEntries(Object.entries(values(adaId)).filter(([name]) => !route.fields!.includes(name)));
      const path = fill(route, () => bob);
      const body = { ...extra, ...validBody(route, bob) };
      const response = await fetch(gateway.url + path, {
        method: route.method,
        headers: { 'Content-Type': 'application/json', ...headersFor(route, bob) },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      // Denying an action that was just approved is a conflict; everything else succeeds.
      expect([route.name, response.status < 300 || response.status === 409, text]).toEqual([route.name, true, text]);
      expect([route.name, text.match(MARKS)]).toEqual([route.name, null]);
    }
    await gateway.app.settled();
    expect(await ownedByAda()).toBe(before);
    const stored = JSON.stringify(await dump());
    expect(stored.match(MARKS)).toBeNull();
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    const agent = (await call<CreateAgentResponse['agent']>(gateway.app, `GET /agents/${bob.ids.agent}`, bob)).body;
    expect(agent).toMatchObject({ name: 'Renamed', isActive: true });
    const service = (await call<Service>(gateway.app, `GET /services/${bob.ids.service}`, bob)).body;
    expect(Object.keys(service.credentials)).toEqual(['token']);
    const rules = await call<RiskRule[]>(gateway.app, `GET /services/${bob.ids.service}/risk-rules`, bob);
    expect(rules.body.every(({ uses, isActive }) => uses === 0 && isActive)).toBe(true);
    const documents = await call<ServiceDocument[]>(gateway.app, `GET /services/${bob.ids.service}/documentation`, bob);
    expect(documents.body.map(({ title }) => title).sort()).toEqual(['New', 'Renamed']);
  });
});
