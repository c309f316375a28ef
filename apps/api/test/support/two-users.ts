import type { AuditPage, CallbackDelivery, CallbackDeliveryPage, Session } from '#contracts';
import { call, login, PASSWORD, register } from './accounts.js';
import { eventually } from './eventually.js';
import type { Gateway } from './gateway.js';
import { createAgent, createDocument, createRule, createService } from './resources.js';

/** The credentials and resources of one user, which another user may try to reach. */
export interface Belongings {
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
export const MARK = 'only-for-ada';

/** Ada, who owns the gateway, and Bob. They share nothing. @param gateway permits registrations */
export async function createTwoUsers(gateway: Gateway): Promise<{ ada: Belongings; bob: Belongings }> {
  const { app } = gateway;
  await register(app, 'bob@example.com');
  const ada = await createBelongings(gateway, gateway.token, MARK);
  const bob = await createBelongings(gateway, (await login(app, 'bob@example.com')).accessToken, 'bobs');
  await call(app, 'POST /auth/confirm', { token: bob.token, body: { password: PASSWORD } });
  return { ada, bob };
}

async function createBelongings(gateway: Gateway, token: string, mark: string): Promise<Belongings> {
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
  const own = service.userId!;
  const workspace = await createInWorkspace(gateway, token, own, mark);
  const logins = await insertLogins(gateway, own, workspace.channel, mark);
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
      ...workspace,
      ...logins,
    },
  };
}

/** What a user makes in the workspace beside services and agents. */
async function createInWorkspace({ app, upstream }: Gateway, token: string, own: number, mark: string) {
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
    body: { type: 'webhook', name: mark, target: `${upstream.url}/${mark}`, events: [] },
  });
  return { invitation: String(invitation.body.id), token: String(made.body.id), channel: String(channel.body.id) };
}

/** Rows that otherwise only a provider, an authenticator and Slack can make. */
async function insertLogins({ app }: Gateway, own: number, channel: string, mark: string) {
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
    [channel, mark, own],
  );
  return { identity: String(identity.id), passkey: String(passkey.id), slackLink: String(slackLink.id) };
}
