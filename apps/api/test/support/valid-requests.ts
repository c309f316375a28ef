import { PASSWORD } from './accounts.js';
import type { ApiRoute } from './api-routes.js';
import type { Gateway } from './gateway.js';
import type { Belongings } from './two-users.js';

/** Well-formed, but signed by nobody. */
const NO_PASSKEY = {
  id: 'AA',
  rawId: 'AA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', attestationObject: 'AA', authenticatorData: 'AA', signature: 'AA' },
};

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

/** The path of the endpoint. @param owner whose resource a parameter names */
export const pathFor = (route: ApiRoute, owner: (param: string) => Belongings): string =>
  route.path.replace(/\{(\w+)\}/g, (_, param: string) => owner(param).ids[resourceKind(route, param)]);

export function headersFor({ guard, path }: ApiRoute, { token, agentKey }: Belongings): Record<string, string> {
  if (guard === 'bearer') return { Authorization: `Bearer ${token}` };
  // Below a base URL, a POST needs an idempotency key, which would leave a record of its own.
  const trial: Record<string, string> = path.startsWith('/s/') ? { Prefer: 'handling=dry-run' } : {};
  return guard === 'agentKey' ? { 'Agent-Key': agentKey, ...trial } : {};
}

/** A body that the endpoint accepts from the owner of `own`. */
export function validBody(gateway: Gateway, { name, fields }: ApiRoute, own: Belongings): object | undefined {
  if (fields === null) return undefined;
  const body = validBodies(gateway, own)[name];
  if (!body) throw new Error(`${name} accepts a body that the tests do not have. Add it to this file.`);
  return body;
}

/** For each endpoint with a body, one that it accepts from the owner of `own`. */
function validBodies(gateway: Gateway, own: Belongings): Record<string, object> {
  const serviceId = Number(own.ids.service);
  const target = `${gateway.upstream.url}/v1/x`;
  return {
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
}
