import { HTTP_METHODS } from '#contracts';
import { CHANNEL_TESTS_PER_MINUTE_MAX } from '#contracts/limits';
import { login, PASSWORD } from './support/accounts.js';
import { hashOfSecret } from '../src/crypto/shown-once.js';
import { Authenticator } from './support/authenticator.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startOpenIdProvider, type OpenIdProviderProcess } from './support/openid-provider.js';
import { readDocument, type ApiDocument } from './support/openapi-document.js';
import { BOT_TOKEN, SIGNING_SECRET, Slack, SLACK_CHANNEL, slackSignature } from './support/slack.js';

const PUBLIC_URL = 'https://gateway.example.com';

let provider: OpenIdProviderProcess;
let slack: Slack;
let gateway: Gateway;
let document: ApiDocument;
beforeAll(async () => {
  provider = await startOpenIdProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  slack = await Slack.start();
  gateway = await startGateway({
    PUBLIC_URL,
    PRIVATE_CHANNEL_ALLOWLIST: slack.hostAndPort,
    ...provider.settings,
  });
  slack.serve(gateway.app);
  document = await readDocument(gateway.url);
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  await slack.close();
});

const covered = new Map<string, Set<number>>();

interface Call {
  body?: object | string;
  headers?: Record<string, string>;
  /** Values of the path parameters, in order, and a query. */
  path?: (string | number)[];
  query?: string;
}

/**
 * Sends a request, and checks the response against the document. At the end, every endpoint must have had valid and
 * invalid requests.
 */
async function check<T = Record<string, unknown>>(route: string, status: number, call: Call = {}): Promise<T> {
  const [method, template] = route.split(' ');
  const values = [...(call.path ?? [])];
  const path = template.replace(/\{\w+\}/g, () => String(values.shift())) + (call.query ?? '');
  const agent = /^\/(proxy|status|mcp|s\/|agent(\/|$))/.test(path);
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      ...(agent ? { 'Agent-Key': gateway.agentKey } : { Authorization: `Bearer ${gateway.token}` }),
      ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...call.headers,
    },
    body: typeof call.body === 'object' ? JSON.stringify(call.body) : call.body,
    redirect: 'manual',
  });
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = stream ? '' : await response.text();
  if (stream) await response.body?.cancel();
  expect([route, response.status, text]).toEqual([route, status, expect.any(String)]);

  const documented = document.operation(route).responses[String(status)];
  expect([route, status, documented]).toEqual([route, status, expect.any(Object)]);
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const types = Object.keys(documented.content ?? {});
  const expected = types.includes('*/*') ? '*/*' : type;
  expect([route, status, types]).toEqual([route, status, expected === '' ? [] : expect.arrayContaining([expected])]);
  if (type === 'application/json' && types.includes(type) && method !== 'HEAD') {
    const schema = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    expect([route, status, document.violations(schema, JSON.parse(text))]).toEqual([route, status, null]);
  }
  expect(response.headers.get('x-request-id')).toBeTruthy();
  if (status >= 400) {
    const { schema } = documented.headers!['X-Error-Code'] as { schema: { enum: string[] } };
    expect([route, status, schema.enum]).toEqual([
      route,
      status,
      expect.arrayContaining([response.headers.get('x-error-code')]),
    ]);
  }
  covered.set(route, (covered.get(route) ?? new Set()).add(status));
  return (type === 'application/json' && text ? JSON.parse(text) : {}) as T;
}

/** Asks for the options of a passkey, and sends what the device answers. */
async function answerOf<T>(from: string, to: string, status: number, body: (options: object) => object): Promise<T> {
  const asked = await fetch(gateway.url + from, {
    method: 'POST',
    headers: { Authorization: `Bearer ${gateway.token}` },
  });
  const cookie = asked.headers.getSetCookie()[0].split(';')[0];
  const { options } = (await asked.json()) as { options: object };
  return check<T>(`POST ${to}`, status, { body: body(options), headers: { cookie } });
}

const BAD_ID = { path: ['x', 'x'] };
const NO_ID = { path: [2_000_000_000, 2_000_000_000] };
const DOCUMENT = { type: 'text', title: 'Notes', content: 'Careful.' };

describe('real responses', () => {
  it('of health and accounts', async () => {
    await check('GET /health', 200);
    await check('GET /ready', 200);
    await check('GET /admin/status', 200);
    await check('GET /auth/setup', 200);
    await check('POST /auth/register', 403, { body: { email: 'b@example.com', password: PASSWORD } });
    await check('POST /auth/register', 400, { body: {} });
    await check('POST /auth/login', 401, { body: { email: 'b@example.com', password: PASSWORD } });
    const body = { email: 'ada@example.com', password: PASSWORD };
    const { refreshToken } = await check<{ refreshToken: string }>('POST /auth/login', 200, { body });
    const spent = await check<{ refreshToken: string }>('POST /auth/refresh', 200, { body: { refreshToken } });
    await check('POST /auth/logout', 200, { body: { refreshToken: spent.refreshToken } });
    await check('POST /auth/refresh', 401, { body: { refreshToken } });
    await check('GET /auth/me', 200);
    await check('PATCH /auth/me', 200, { body: { name: 'Ada' } });
    await check('PATCH /auth/me', 400, { body: { name: 1 } });
    await login(gateway.app, 'ada@example.com');
    const sessions = await check<{ id: string; current: boolean }[]>('GET /auth/sessions', 200);
    const other = sessions.find(({ current }) => !current);
    await check('DELETE /auth/sessions/{id}', 200, { path: [other!.id] });
    await check('DELETE /auth/sessions/{id}', 404, { path: ['00000000-0000-4000-8000-000000000000'] });
    await check('DELETE /auth/sessions', 200);
    const change = { currentPassword: PASSWORD, newPassword: 'another long password' };
    await check('POST /auth/password', 200, { body: change });
    await check('POST /auth/password', 403, { body: change });
    await check('POST /auth/password', 200, {
      body: { currentPassword: change.newPassword, newPassword: PASSWORD },
    });
  });

  it('of confirmations', async () => {
    await check('GET /auth/confirm', 200);
    await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
    await check('POST /auth/confirm', 400, { body: {} });
    await check('POST /auth/confirm', 403, { body: { password: 'wrong' } });
    await check('POST /auth/confirm/options', 200);
  });

  it('of passkeys', async () => {
    await check('POST /auth/passkeys/options', 200);
    const device = new Authenticator(PUBLIC_URL);
    const added = await answerOf<{ id: number }>('/auth/passkeys/options', '/auth/passkeys', 201, (options) => ({
      name: 'Phone',
      passkey: device.register(options),
    }));
    await check('POST /auth/passkeys', 400, { body: {} });
    await check('GET /auth/passkeys', 200);
    await check('PATCH /auth/passkeys/{id}', 200, { path: [added.id], body: { name: 'Old phone' } });
    await check('PATCH /auth/passkeys/{id}', 400, { path: [added.id], body: {} });
    await check('PATCH /auth/passkeys/{id}', 404, { ...NO_ID, body: { name: 'Phone' } });
    await check('POST /auth/passkeys/login/options', 200);
    await check('POST /auth/passkeys/login', 400, { body: {} });
    const signed = (options: object) => ({ passkey: device.sign(options) });
    await answerOf('/auth/passkeys/login/options', '/auth/passkeys/login', 200, signed);
    await answerOf('/auth/confirm/options', '/auth/confirm', 200, signed);
    const bent = (options: object) => ({ passkey: device.sign(options, { flags: 0 }) });
    await answerOf('/auth/passkeys/login/options', '/auth/passkeys/login', 401, bent);
    await answerOf('/auth/confirm/options', '/auth/confirm', 403, bent);
    await check('DELETE /auth/passkeys/{id}', 200, { path: [added.id] });
    await check('DELETE /auth/passkeys/{id}', 404, NO_ID);
    await check('DELETE /auth/passkeys/{id}', 400, BAD_ID);
  });

  it('of single sign-on', async () => {
    await check('GET /auth/methods', 200);
    await check('GET /auth/oidc/start', 302);
    await check('GET /auth/oidc/callback', 302);
    await gateway.app.database.query('UPDATE sessions SET confirmed_at = NULL');
    await check('POST /auth/oidc/link', 403);
    await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
    await check('POST /auth/oidc/link', 200);
    await gateway.app.database.query(
      `INSERT INTO identities (user_id, issuer, subject, email, created_at, last_used_at)
       SELECT id, 'https://id.example.com', 'ada', email, now(), now() FROM users`,
    );
    const [{ id }] = await check<{ id: number }[]>('GET /auth/oidc/identities', 200);
    await check('DELETE /auth/oidc/identities/{id}', 200, { path: [id] });
    await check('DELETE /auth/oidc/identities/{id}', 404, NO_ID);
    await check('DELETE /auth/oidc/identities/{id}', 400, BAD_ID);
  });

  it('of workspaces and members', async () => {
    await check('GET /workspaces', 200);
    const { id } = await check<{ id: number }>('POST /workspaces', 201, { body: { name: 'Second' } });
    await check('POST /workspaces', 400, { body: {} });
    const path = [id];
    await check('GET /workspaces/{id}', 200, { path });
    await check('GET /workspaces/{id}', 400, BAD_ID);
    await check('GET /workspaces/{id}', 404, NO_ID);
    await check('PUT /workspaces/{id}', 200, { path, body: { name: 'Third', settings: { confirmFromRisk: 0.7 } } });
    await check('PUT /workspaces/{id}', 400, { path, body: {} });
    await gateway.app.database.query(`
      INSERT INTO users (email, name, password_hash, created_at, updated_at)
        VALUES ('auditor@example.com', 'Auditor', 'none', now(), now());
      INSERT INTO workspace_members SELECT ${id}, max(id), 'auditor', now() FROM users`);
    await check('GET /workspaces/{id}/export', 200, { path });
    await check('GET /workspaces/{id}/export', 400, BAD_ID);
    await check('PUT /workspaces/{id}/import', 200, { path, body: { version: 1 }, query: '?dryRun=true' });
    await check('PUT /workspaces/{id}/import', 400, { path, body: {} });
    await check('POST /workspaces/{id}/resume', 409, { path });
    await check('POST /workspaces/{id}/pause', 200, { path, body: { reason: 'Bo looks at it' } });
    await check('POST /workspaces/{id}/pause', 400, { path, body: {} });
    await check('GET /workspaces', 200);
    await check('POST /workspaces/{id}/resume', 200, { path });
    const members = await check<{ id: number; role: string }[]>('GET /workspaces/{id}/members', 200, { path });
    const [auditor, owner] = ['auditor', 'owner'].map((role) => members.find((member) => member.role === role)!.id);
    await check('PUT /workspaces/{id}/members/{userId}', 200, { path: [id, auditor], body: { role: 'approver' } });
    await check('PUT /workspaces/{id}/members/{userId}', 409, { path: [id, owner], body: { role: 'approver' } });
    await check('PUT /workspaces/{id}/members/{userId}', 400, { path: [id, owner], body: { role: 'boss' } });
    await check('DELETE /workspaces/{id}/members/{userId}', 200, { path: [id, auditor] });
    await check('DELETE /workspaces/{id}/members/{userId}', 404, { path: [id, auditor] });
    await check('DELETE /workspaces/{id}/members/{userId}', 409, { path: [id, owner] });
    const invited = { path, body: { email: 'new@example.com', role: 'auditor' } };
    const { url } = await check<{ url: string }>('POST /workspaces/{id}/invitations', 201, invited);
    const [open] = await check<{ id: number }[]>('GET /workspaces/{id}/invitations', 200, { path });
    await check('POST /workspaces/{id}/invitations', 409, { path, body: { email: 'ada@example.com', role: 'admin' } });
    await check('POST /invitations/accept', 403, { body: { token: url.split('#')[1] } });
    await check('POST /invitations/accept', 404, { body: { token: 'none' } });
    await check('DELETE /workspaces/{id}/invitations/{invitationId}', 200, { path: [id, open.id] });
    await check('DELETE /workspaces/{id}/invitations/{invitationId}', 404, { path: [id, open.id] });
    const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
    const wanted = { name: 'CI', workspaceId: id, role: 'auditor', expiresAt };
    const token = await check<{ id: number }>('POST /auth/tokens', 201, { body: wanted });
    await check('POST /auth/tokens', 400, { body: { ...wanted, expiresAt: '2001-01-01' } });
    await check('POST /auth/tokens', 404, { body: { ...wanted, workspaceId: 2_000_000_000 } });
    await check('GET /auth/tokens', 200);
    await check('DELETE /auth/tokens/{id}', 200, { path: [token.id] });
    await check('DELETE /auth/tokens/{id}', 404, { path: [token.id] });
    await check('GET /admin/administrators', 200);
    await check('PUT /admin/administrators/{userId}', 200, { path: [auditor] });
    await check('PUT /admin/administrators/{userId}', 404, { path: [2_000_000_000] });
    await check('DELETE /admin/administrators/{userId}', 200, { path: [auditor] });
    await check('DELETE /admin/administrators/{userId}', 409, { path: [owner] });
    await check('GET /admin/workspaces', 200);
    await check('GET /admin/workspaces', 400, { query: '?cursor=x' });
    await check('PUT /admin/workspaces/{id}', 200, { path, body: { privateTargets: true } });
    await check('PUT /admin/workspaces/{id}', 400, { path, body: {} });
    const again = await check<{ url: string }>('POST /workspaces/{id}/invitations', 201, {
      path,
      body: { email: 'cleo@example.com', role: 'auditor' },
    });
    const invitation = again.url.split('#')[1];
    await gateway.app.database.query(`
      INSERT INTO users (email, name, password_hash, created_at, updated_at)
        SELECT 'cleo@example.com', 'Cleo', password_hash, now(), now() FROM users WHERE id = ${owner}`);
    const { accessToken } = await login(gateway.app, 'cleo@example.com');
    const headers = { Authorization: `Bearer ${accessToken}` };
    await check('POST /invitations/accept', 200, { body: { token: invitation }, headers });
    await check('POST /invitations/accept', 410, { body: { token: invitation }, headers });
    await check('DELETE /workspaces/{id}', 200, { path });
    await check('DELETE /workspaces/{id}', 404, { path });
  });

  it('of services, documentation and rules', async () => {
    const body = { name: 'S', baseUrl: `${gateway.upstream.url}/s`, authType: 'bearer', credentials: { token: 't' } };
    const { id } = await check<{ id: number }>('POST /services', 201, { body });
    const path = [id];
    await check('POST /services', 400, { body: {} });
    await check('POST /services', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
    await check('POST /services', 413, { body: ' '.repeat(1024 * 1024 + 1) });
    await check('GET /services', 200);
    await check('GET /services/{id}', 200, { path });
    await check('GET /services/{id}', 400, BAD_ID);
    await check('GET /services/{id}', 404, NO_ID);
    await check('PUT /services/{id}', 200, { path, body: { name: 'T' } });
    await check('PUT /services/{id}', 400, { path, body: {} });
    await check('POST /services/{id}/credentials', 200, { path, body: { credentials: { token: 'u' } } });
    await check('POST /services/{id}/credentials', 404, { ...NO_ID, body: { credentials: { token: 'u' } } });
    await check('POST /services/{id}/credentials/confirm', 409, { path, body: { hosts: ['api.example.com'] } });
    const moved = { hosts: [new URL(gateway.upstream.url).origin] };
    await gateway.app.database.query(`UPDATE services SET credential_origins = '{}' WHERE id = $1`, [id]);
    await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
    await check('POST /services/{id}/credentials/confirm', 200, { path, body: moved });
    await check('POST /services/{id}/credentials/revert', 200, { path });
    await check('POST /services/{id}/credentials/revert', 409, { path });
    await check('POST /services/{id}/credentials/revert', 404, NO_ID);
    await check('PUT /services/{id}/credentials', 200, { path, body: { credentials: { token: 'v' }, graceHours: 1 } });
    await check('PUT /services/{id}/credentials', 400, {
      path,
      body: { credentials: { token: 'v' }, graceHours: 721 },
    });
    await check('PUT /services/{id}/credentials', 404, { ...NO_ID, body: { credentials: { token: 'v' } } });
    const trial = { credentials: { token: 'u' } };
    await check('POST /services/{id}/credentials/test', 200, { path, body: trial });
    await check('POST /services/{id}/credentials/test', 400, { path, body: {} });
    await check('POST /services/{id}/credentials/test', 404, { ...NO_ID, body: trial });
    await check('POST /services/{id}/test', 200, { path, body: {} });
    await check('POST /services/{id}/oauth/connect', 400, { path });
    const tokenUrl = `${gateway.upstream.url}/token`;
    const oauth = {
      grant: 'authorization_code',
      authorizationUrl: tokenUrl,
      tokenUrl,
      clientId: 'c',
      scopes: [],
      tokenAuth: 'basic',
    };
    const connectable = await check<{ id: number }>('POST /services', 201, {
      body: { ...body, authType: 'oauth2', oauth },
    });
    await check('POST /services/{id}/oauth/connect', 200, { path: [connectable.id] });
    await check('GET /oauth/callback', 400);

    const doc = await check<{ id: number }>('POST /services/{id}/documentation', 201, { path, body: DOCUMENT });
    await check('POST /services/{id}/documentation', 400, { path, body: { ...DOCUMENT, type: 'openapi' } });
    await check('GET /services/{id}/documentation', 200, { path });
    await check('GET /services/{id}/documentation/{docId}', 200, { path: [id, doc.id] });
    await check('GET /services/{id}/documentation/{docId}', 404, { path: [id, 999] });
    await check('PUT /services/{id}/documentation/{docId}', 200, { path: [id, doc.id], body: { title: 'N' } });
    await check('DELETE /services/{id}/documentation/{docId}', 200, { path: [id, doc.id] });
    const openapi = {
      openapi: '3.0.0',
      info: { title: 'S', version: '1' },
      paths: { '/things/{id}': { delete: { operationId: 'd', summary: 'Delete' }, get: {} } },
    };
    await check('POST /services/{id}/documentation', 201, {
      path,
      body: { type: 'openapi', title: 'API', content: JSON.stringify(openapi) },
    });
    await check('GET /services/{id}/operations', 200, { path });

    const rule = { name: 'r', effect: 'require_approval', expiresAt: '2099-01-01T00:00:00Z', maxUses: 3 };
    const { id: ruleId } = await check<{ id: number }>('POST /services/{id}/risk-rules', 201, { path, body: rule });
    await check('POST /services/{id}/risk-rules', 400, { path, body: {} });
    await check('POST /services/{id}/risk-rules/preview', 200, { path, body: rule });
    await check('GET /services/{id}/risk-rules', 200, { path });
    await check('PUT /services/{id}/risk-rules/{ruleId}', 200, { path: [id, ruleId], body: { isActive: false } });
    await check('PUT /services/{id}/risk-rules/{ruleId}', 404, { path: [id, 999], body: { isActive: false } });
    const assess = {
      serviceId: id,
      method: 'DELETE',
      targetUrl: `${gateway.upstream.url}/s/things/1`,
      intent: 'try',
    };
    await check('POST /risk/assess', 200, { body: assess });
    await check('POST /risk/assess', 400, { body: {} });
    await check('POST /risk/assess', 403, { body: { ...assess, targetUrl: `${gateway.upstream.url}/elsewhere` } });
    await check('DELETE /services/{id}/risk-rules/{ruleId}', 200, { path: [id, ruleId] });
    await check('DELETE /services/{id}', 200, { path });
  });

  it('of channels', async () => {
    const body = { type: 'webhook', name: 'Ours', target: `http://${slack.hostAndPort}/hook` };
    const { id } = await check<{ id: number }>('POST /channels', 201, { body });
    const path = [id];
    await check('POST /channels', 400, { body: {} });
    await check('POST /channels', 403, { body: { ...body, target: 'https://127.0.0.1/' } });
    await check('POST /channels', 404, { body: { ...body, serviceIds: [2_000_000_000] } });
    for (let sent = 0; sent < CHANNEL_TESTS_PER_MINUTE_MAX; sent++) {
      await check('POST /channels/{id}/test', 200, { path });
    }
    await check('POST /channels/{id}/test', 429, { path });
    await check('GET /channels', 200);
    await check('GET /channels/{id}', 200, { path });
    await check('GET /channels/{id}', 404, NO_ID);
    await check('PUT /channels/{id}', 200, { path, body: { name: 'Theirs' } });
    await check('PUT /channels/{id}', 400, { path, body: { minRisk: 2 } });
    await check('POST /channels/{id}/rotate-secret', 200, { path });
    await check('GET /channels/{id}/deliveries', 200, { path });
    await check('GET /channels/{id}/deliveries', 400, { path, query: '?limit=0' });
    await check('PUT /channels/{id}', 200, { path, body: { isActive: false } });
    await check('POST /channels/{id}/test', 409, { path });
    await check('DELETE /channels/{id}', 200, { path });
    await check('DELETE /channels/{id}', 404, { path });
  });

  it('of decisions in Slack', async () => {
    const bot = { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET, slackChannel: SLACK_CHANNEL };
    const { id } = await check<{ id: number }>('POST /channels', 201, {
      body: { type: 'slack', name: 'Chat', ...bot },
    });
    const interact = (body: string, status: number) =>
      check('POST /hooks/slack/{channelId}', status, {
        path: [id],
        body,
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          ...slackSignature(body, gateway.app.clock.nowMs()),
        },
      });
    await interact('payload={}', 200);
    await interact('payload=', 400);
    await interact(`payload=${'x'.repeat(300_000)}`, 413);
    await check('POST /hooks/slack/{channelId}', 401, { path: [id], body: 'payload={}' });
    const token = 'a'.repeat(64);
    await check('POST /slack-links/view', 410, { body: { token } });
    await check('POST /slack-links', 410, { body: { token } });
    await gateway.app.database.query(
      `INSERT INTO slack_link_requests (token_hash, channel_id, slack_user_id, slack_name, expires_at)
       VALUES ($1, $2, 'U1', 'ana', now() + interval '1 minute')`,
      [hashOfSecret(token), id],
    );
    await check('POST /slack-links/view', 200, { body: { token } });
    await check('POST /slack-links/view', 400, { body: {} });
    await check('POST /auth/confirm', 200, { body: { password: PASSWORD } });
    const link = await check<{ id: number }>('POST /slack-links', 201, { body: { token } });
    await check('POST /slack-links', 400, { body: {} });
    await check('GET /slack-links', 200);
    await check('GET /slack-links', 400, { headers: { 'X-Workspace-Id': 'x' } });
    await check('DELETE /slack-links/{id}', 200, { path: [link.id] });
    await check('DELETE /slack-links/{id}', 404, { path: [link.id] });
    await check('DELETE /channels/{id}', 200, { path: [id] });
  });

  it('of agents', async () => {
    const body = { name: 'bot', serviceIds: [gateway.service.id] };
    const { agent } = await check<{ agent: { id: number } }>('POST /agents', 201, { body });
    const path = [agent.id];
    await check('POST /agents', 400, { body: {} });
    await check('POST /agents', 404, { body: { ...body, serviceIds: [999] } });
    await check('GET /agents', 200);
    await check('GET /agents/{id}', 200, { path });
    await check('GET /agents/{id}', 404, NO_ID);
    await check('PUT /agents/{id}', 200, { path, body: { isActive: false } });
    await check('PUT /agents/{id}', 400, { ...BAD_ID, body: { isActive: false } });
    await check('PUT /agents/{id}/services', 200, { path, body: { serviceIds: [gateway.service.id] } });
    await check('PUT /agents/{id}/services', 400, { path, body: { serviceIds: [] } });
    await check('POST /agents/{id}/rotate-key', 200, { path });
    await check('DELETE /agents/{id}/previous-keys', 200, { path });
    await check('DELETE /agents/{id}/previous-keys', 404, NO_ID);
    const callback = { url: `${gateway.upstream.url}/callback` };
    await check('GET /agents/{id}/callback', 200, { path });
    await check('POST /agents/{id}/callback/test', 404, { path });
    await check('PUT /agents/{id}/callback', 200, { path, body: callback });
    await check('PUT /agents/{id}/callback', 400, { path, body: { url: 'nowhere' } });
    await check('PUT /agents/{id}/callback', 403, { path, body: { url: 'https://127.0.0.1/' } });
    await check('GET /agents/{id}/callback', 200, { path });
    await check('GET /agents/{id}/callback', 404, NO_ID);
    await check('POST /agents/{id}/callback/rotate-secret', 200, { path });
    await check('POST /agents/{id}/callback/test', 409, { path });
    await check('PUT /agents/{id}', 200, { path, body: { isActive: true } });
    const delivery = await check<{ id: string }>('POST /agents/{id}/callback/test', 200, { path });
    await check('GET /agents/{id}/callback/deliveries', 200, { path });
    await check('GET /agents/{id}/callback/deliveries', 400, { path, query: '?limit=0' });
    const redeliver = 'POST /agents/{id}/callback/deliveries/{deliveryId}/redeliver';
    await check(redeliver, 200, { path: [agent.id, delivery.id] });
    await check(redeliver, 404, { path: [agent.id, 'x'] });
    await check('DELETE /agents/{id}/callback', 200, { path });
    await check('DELETE /agents/{id}/callback', 404, { path });
    await check('GET /agent/callback', 200);
    await check('PUT /agent/callback', 403, { body: callback });
    const callbackHosts = [gateway.upstream.hostAndPort];
    await check('PUT /agents/{id}', 200, { path: [gateway.agent.id], body: { callbackHosts } });
    await check('PUT /agent/callback', 200, { body: callback });
    await check('POST /agent/callback/rotate-secret', 200);
    await check('POST /agent/callback/test', 200);
    await check('DELETE /agent/callback', 200);
    await check('POST /agent/callback/test', 404);
    await check('DELETE /agents/{id}', 200, { path });
  });

  it('of requests, actions and the audit log', async () => {
    const { url } = gateway.upstream;
    const request = (method: string, path: string, extra = {}) => ({
      body: { targetUrl: url + path, method, intent: 'try', ...extra },
    });
    gateway.model.answer({ score: 0 });
    await check('POST /proxy', 200, request('GET', '/v1/a'));
    await check('POST /proxy', 200, request('POST', '/v1/a', { idempotencyKey: 'k', body: '1' }));
    await check('POST /proxy', 422, request('POST', '/v1/a', { idempotencyKey: 'k', body: '2' }));
    await check('POST /proxy', 400, request('POST', '/v1/a'));
    await check('POST /proxy', 403, request('GET', '/v1/../a'));
    await check('POST /proxy', 404, request('GET', '/nowhere'));
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    await check('POST /proxy', 502, request('GET', '/v1/a'));
    gateway.upstream.answer((_call, response) => response.end('{}'));

    gateway.model.answer({ score: 1 });
    const hold = async (n: number): Promise<string[]> => [
      (await check<{ action_id: string }>('POST /proxy', 428, request('DELETE', `/v1/things/${n}`))).action_id,
    ];
    const [approved, denied, withdrawn] = [await hold(1), await hold(2), await hold(3)];
    await check('GET /status/{actionId}', 200, { path: approved });
    await check('POST /proxy/execute/{actionId}', 409, { path: approved });
    await check('PATCH /approvals/{actionId}/approve', 200, { path: approved, body: {} });
    await check('PATCH /approvals/{actionId}/approve', 409, { path: approved, body: { note: 'again' } });
    await check('PATCH /approvals/{actionId}/deny', 200, { path: denied, body: { note: 'no' } });
    await check('PATCH /approvals/{actionId}/withdraw', 409, { path: withdrawn, body: {} });
    await check('PATCH /approvals/{actionId}/approve', 200, { path: withdrawn, body: {} });
    await check('PATCH /approvals/{actionId}/withdraw', 200, { path: withdrawn, body: { note: 'not now' } });
    const [revised] = [await hold(4)];
    await check('POST /approvals/{actionId}/revise', 400, { path: revised, body: {} });
    await check('POST /approvals/{actionId}/revise', 201, { path: revised, body: { headers: { 'X-Tag': 'revised' } } });
    await check('POST /approvals/{actionId}/revise', 409, { path: revised, body: { headers: {} } });
    await check('POST /approvals/{actionId}/revise', 404, { path: ['x'], body: { headers: {} } });
    await check('PATCH /approvals/{actionId}/withdraw', 404, { path: ['x'], body: {} });
    await check('PATCH /approvals/{actionId}/deny', 404, { path: ['x'], body: {} });
    await check('GET /status/{actionId}', 200, { path: approved });
    await check('GET /status/{actionId}', 200, { path: denied });
    await check('GET /status/{actionId}', 404, { path: ['x'] });
    await check('POST /proxy/execute/{actionId}', 200, { path: approved });
    await check('POST /proxy/execute/{actionId}', 404, { path: ['x'] });
    await check('GET /status/{actionId}', 200, { path: approved });
    await check('GET /approvals', 200, { query: '?status=ALL' });
    await check('GET /approvals', 400, { query: '?limit=0' });
    await check('GET /approvals/counts', 200);
    await check('GET /approvals/{actionId}', 200, { path: approved });
    await check('GET /approvals/{actionId}', 404, { path: ['x'] });
    await check('GET /approvals/{actionId}/context', 200, { path: denied });

    await gateway.app.settled();
    await check('GET /audit', 200, { query: '?limit=200' });
    await check('GET /audit', 400, { query: '?kind=x' });
    // The agent and the service of this action are deleted.
    const service = await gateway.createService({ name: 'Gone', baseUrl: `${url}/gone` });
    const { agent, apiKey } = await gateway.createAgent('gone-bot', [service.id]);
    const gone = await gateway.hold({ targetUrl: `${url}/gone/1` }, { 'Agent-Key': apiKey });
    await gateway.admin(`DELETE /agents/${agent.id}`);
    await gateway.admin(`DELETE /services/${service.id}`);
    await check('GET /approvals/{actionId}', 200, { path: [gone.action_id] });
    await check('GET /approvals/{actionId}/context', 200, { path: [gone.action_id] });
    await check('GET /audit/export', 200, { query: '?format=csv' });
    await check('GET /audit/export', 200, { query: '?format=ndjson' });
    await check('GET /audit/export', 400);
    const [record] = await gateway.audit();
    await check('GET /audit/{recordId}', 200, { path: [record.id] });
    await check('GET /audit/{recordId}', 404, { path: ['x'] });
    await check('GET /audit/stats', 200);
    await check('GET /audit/people', 200);
    await check('GET /audit/usage/services', 200);
    await check('GET /audit/usage/agents', 200, { query: `?agentIds=${gateway.agent.id}` });
    await check('GET /audit/usage/agents', 400);
    await check('GET /events', 200);
    await check('GET /channels/webpush/key', 200);
    await check('GET /channels/webpush/key', 400, { headers: { 'X-Workspace-Id': 'x' } });
  });

  it('of the base URLs of services', async () => {
    gateway.model.answer({ score: 0 });
    for (const method of HTTP_METHODS) {
      const route = `${method} /s/{service}/{path}`;
      const headers = { 'X-Intent': 'try', 'Idempotency-Key': `base-url-${method}` };
      await check(route, 200, { path: ['Shop', 'things'], headers });
      await check(route, 404, { path: ['Nowhere', 'things'], headers: { 'Idempotency-Key': `nowhere-${method}` } });
    }
    await check('POST /s/{service}/{path}', 400, { path: ['Shop', 'things'] });
    gateway.model.answer({ score: 1 });
    await check('DELETE /s/{service}/{path}', 428, { path: ['Shop', 'things'] });
  });

  it('of discovery', async () => {
    await check('GET /agent', 200);
    await check('GET /agent', 401, { headers: { 'Agent-Key': 'x' } });
    for (const route of ['GET /SKILL.md', 'GET /llms.txt']) {
      await check(route, 200);
      await check(route, 401, { headers: { 'Agent-Key': 'x' } });
    }
  });

  it('of the MCP server', async () => {
    const message = (method: string, params?: object) => ({ body: { jsonrpc: '2.0', id: 1, method, params } });
    await check('POST /mcp', 200, message('tools/list'));
    await check('POST /mcp', 200, message('no/such/method'));
    await check('POST /mcp', 202, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await check('POST /mcp', 400, { body: {} });
    await check('POST /mcp', 403, { ...message('ping'), headers: { Origin: 'https://evil.example' } });
    await check('POST /mcp', 406, { ...message('ping'), headers: { Accept: 'image/png' } });
    await check('GET /mcp', 405);
    await check('DELETE /mcp', 405);
  });

  it('cover every endpoint, with successes and errors', () => {
    for (const [route, { responses }] of document.operations) {
      const seen = [...(covered.get(route) ?? [])];
      const succeeds = route !== 'POST /auth/register' && Object.keys(responses).some((status) => status < '300');
      if (succeeds) expect([route, seen.some((status) => status < 300)]).toEqual([route, true]);
      expect([route, seen.length]).not.toEqual([route, 0]);
      expect([route, Object.keys(responses)]).toEqual([route, expect.arrayContaining(seen.map(String))]);
    }
  });
});
