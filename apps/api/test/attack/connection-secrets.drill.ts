import { Client } from 'pg';
import type { Channel, CreateAgentResponse, CreatedChannel, HeldResponse, Service } from '#contracts';
import { call, login, register } from '../support/accounts.js';
import { startChildGateway, type ChildGateway } from '../support/child-gateway.js';
import { CLIENT_CERTIFICATE } from '../support/client-certificates.js';
import { dumpDatabase } from '../support/database-dump.js';
import { eventually } from '../support/eventually.js';
import { startFakeModel, type FakeModel } from '../support/fake-model.js';
import { startFakeUpstream, type FakeUpstream, type UpstreamAnswer } from '../support/fake-upstream.js';
import { leaksIn, type Sighting } from '../support/leak-search.js';
import { startMailServer, type MailServer } from '../support/mail-server.js';

/**
 * Stores recognisable values in every auth type and every channel, then uses, tests, breaks and replaces them. Finally
 * it searches everything that left the gateway: answers, the log at its finest level, prompts, mails, notifications,
 * exports and the database.
 */
const PLANTED = {
  query: 'planted-query/key+with odd=chars&',
  header: 'planted-header-{part}-of-a-template',
  awsKey: 'planted/aws+secret+access/key+0123456789',
  awsSession: 'planted-aws-session-token//+==',
  clientKey: 'pcqum+P9xko/VFAIVl2B1jnO/QahRANCAAT0gwy2vCNkHeSdUeBA81lnNK/yJshi',
  clientSecret: 'planted-client:secret/of+oauth=',
  accessToken: 'planted-access-token-of-the-provider.J9x_y-z~1',
  replacement: 'planted-replacement-of-a-credential',
  tried: 'planted-tried-and-never-stored',
  smtpPassword: 'planted-smtp-password',
  slack: 'planted-slack-path',
  ntfy: 'planted-ntfy-topic',
  discord: 'planted-discord-path',
};
/** It is shown once, to the person who requested it. */
const issued: Record<string, string> = {};
const seen: Sighting[] = [];

let child: ChildGateway;
let model: FakeModel;
let upstream: FakeUpstream;
let receiver: FakeUpstream;
let mail: MailServer;
let token: string;
let agentKey: string;

/** This server returns the received headers and body. */
const echo: UpstreamAnswer = ({ path, headers }, response) => {
  const location = `${upstream.url}${path}`;
  response.writeHead(200, { 'Content-Type': 'application/json', Location: location, 'X-Echo': path });
  response.end(JSON.stringify({ path, headers }));
};
const grant: UpstreamAnswer = (_call, response) =>
  response
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ access_token: PLANTED.accessToken, token_type: 'Bearer', expires_in: 3600 }));
/** A provider that quotes the secret in its answer. */
const refuse: UpstreamAnswer = (_call, response) => {
  const error = { error: 'invalid_client', error_description: `no client has the secret ${PLANTED.clientSecret}` };
  response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify(error));
};
const routes = (answer: UpstreamAnswer, provider: UpstreamAnswer): UpstreamAnswer => {
  return (request, response) => (request.path === '/token' ? provider : answer)(request, response);
};

beforeAll(async () => {
  [model, upstream, receiver, mail] = await Promise.all([
    startFakeModel(),
    startFakeUpstream(),
    startFakeUpstream(),
    startMailServer(),
  ]);
  upstream.answer(routes(echo, grant));
  child = await startChildGateway({
    LLM_BASE_URL: model.url,
    RISK_CACHE_SECONDS: '0',
    LOG_LEVEL: 'trace',
    PUBLIC_URL: 'https://gateway.example.com',
    ALLOW_REGISTRATION: 'true',
    PRIVATE_TARGET_ALLOWLIST: upstream.hostAndPort,
    PRIVATE_CHANNEL_ALLOWLIST: receiver.hostAndPort,
    CALLBACK_PRIVATE_HOSTS: receiver.hostAndPort,
    SMTP_URL: mail.url.replace('secret', PLANTED.smtpPassword),
    MAIL_FROM: 'gateway@example.com',
  });
  await register(child, 'ada@example.com');
  token = (await login(child, 'ada@example.com')).accessToken;
});
afterAll(async () => {
  await child?.stop();
  await Promise.all([model, upstream, receiver, mail].map((server) => server?.close()));
});

/** Keeps the whole answer. `once`: the fields that this endpoint may show. */
async function admin<T>(route: string, body?: object, once: string[] = []): Promise<T> {
  const answer = await call<T>(child, route, { token, body });
  let text = JSON.stringify([[...answer.headers], answer.body]);
  for (const field of once) {
    const value = (answer.body as Record<string, string>)[field];
    issued[`${field} of ${route}`] = value;
    text = text.replaceAll(value, 'ISSUED');
  }
  seen.push({ where: `${route} -> ${answer.status}`, text });
  return answer.body;
}

let serial = 0;
async function asAgent(route: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  const [method, path] = route.split(' ');
  const response = await fetch(child.url + path, {
    method,
    headers: { 'Agent-Key': agentKey, 'Content-Type': 'application/json', 'X-Intent': 'look', ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await response.clone().text();
  seen.push({ where: `${route} -> ${response.status}`, text: JSON.stringify([[...response.headers]]) + text });
  return response;
}
const proxy = (service: Service, headers: Record<string, string> = {}): Promise<Response> =>
  asAgent(
    'POST /proxy',
    {
      method: 'POST',
      targetUrl: `${service.baseUrl}/x?a=1`,
      body: '{}',
      intent: 'use',
      idempotencyKey: `k${++serial}`,
    },
    headers,
  );

interface Way {
  name: string;
  fields: { authType: string; auth?: object; oauth?: object };
  credentials: Record<string, string>;
  /** The values that reach the API. */
  sent: string[];
}
const WAYS: Way[] = [
  {
    name: 'templates',
    fields: {
      authType: 'custom',
      auth: { headers: { 'X-Signature': 'v1 {{header}}' }, query: { api_key: '{{query}}' } },
    },
    credentials: { header: PLANTED.header, query: PLANTED.query },
    sent: [PLANTED.header, encodeURIComponent(PLANTED.query)],
  },
  {
    name: 'aws',
    fields: { authType: 'custom', auth: { aws: { region: 'eu-central-1', service: 's3' } } },
    credentials: {
      access_key_id: 'AKIDEXAMPLE',
      secret_access_key: PLANTED.awsKey,
      session_token: PLANTED.awsSession,
    },
    sent: [PLANTED.awsSession],
  },
  {
    name: 'client',
    fields: {
      authType: 'oauth2',
      oauth: { grant: 'client_credentials', clientId: 'gateway', scopes: [], tokenAuth: 'basic', tokenUrl: '' },
    },
    credentials: { client_secret: PLANTED.clientSecret },
    sent: [PLANTED.accessToken],
  },
  {
    name: 'bank',
    fields: { authType: 'custom', auth: { clientCertificate: true } },
    credentials: CLIENT_CERTIFICATE,
    // No server there speaks TLS.
    sent: [],
  },
];
const services = new Map<string, Service>();

it('connects APIs in every way, and tests them', async () => {
  for (const { name, fields, credentials } of WAYS) {
    const baseUrl = `${name === 'bank' ? upstream.url.replace('http:', 'https:') : upstream.url}/${name}`;
    const oauth = fields.oauth && { ...fields.oauth, tokenUrl: `${upstream.url}/token` };
    const made = await admin<Service>('POST /services', { name, baseUrl, ...fields, oauth, credentials });
    expect(made.missingCredentials).toEqual([]);
    services.set(name, made);
    await admin(`POST /services/${made.id}/test`, {});
  }
  const serviceIds = [...services.values()].map(({ id }) => id);
  const { agent, apiKey } = await admin<CreateAgentResponse>('POST /agents', { name: 'bot', serviceIds }, ['apiKey']);
  agentKey = apiKey;
  await admin(`PUT /agents/${agent.id}`, { callbackHosts: [receiver.hostAndPort] });
  await admin(`PUT /agents/${agent.id}/callback`, { url: `${receiver.url}/callback` }, ['secret']);
});

it('adds channels with secret targets, and tests them when their receivers work, fail and are gone', async () => {
  const target = (path: string) => ({ target: `${receiver.url}/${path}` });
  const given = [
    { type: 'slack', ...target(PLANTED.slack) },
    { type: 'ntfy', ...target(PLANTED.ntfy) },
    { type: 'discord', ...target(PLANTED.discord) },
    { type: 'email' },
  ];
  const webhook = { type: 'webhook', name: 'webhook', ...target('webhook') };
  const { id } = await admin<CreatedChannel>('POST /channels', webhook, ['secret']);
  await admin(`POST /channels/${id}/rotate-secret`, {}, ['secret']);
  for (const fields of given) await admin('POST /channels', { name: fields.type, ...fields });
  const channels = await admin<Channel[]>('GET /channels');
  expect(channels).toHaveLength(5);
  // The receiver quotes the requested path in its answer.
  for (const status of [204, 500, 410]) {
    receiver.answer(({ path }, response) =>
      response.writeHead(status, { Location: path }).end(status === 204 ? '' : path),
    );
    for (const channel of channels) {
      await admin(`POST /channels/${channel.id}/test`, {});
      await admin(`GET /channels/${channel.id}/deliveries`);
    }
  }
  receiver.answer((_call, response) => response.writeHead(204).end());
  for (const channel of channels) await admin(`PUT /channels/${channel.id}`, { isActive: true });
});

describe.each(WAYS.map(({ name, sent }) => [name, sent] as const))('an API connected by %s', (name, sent) => {
  const service = () => services.get(name)!;

  it('is used in all ways', async () => {
    model.answer({ score: 0, explanation: 'reads' });
    await proxy(service());
    await proxy(service(), { Prefer: 'handling=dry-run' });
    await asAgent(`GET /s/${name}/x?a=1`);
    await asAgent(`GET /s/${name}/x?a=1`, undefined, { Prefer: 'stream' });
    const arrived = JSON.stringify(upstream.calls.filter(({ path }) => path.startsWith(`/${name}/`)));
    for (const secret of sent) expect(arrived).toContain(JSON.stringify(secret).slice(1, -1));
    model.answer({ score: 1, explanation: 'writes' });
    const held = (await (await proxy(service())).json()) as HeldResponse;
    await admin(`GET /approvals/${held.action_id}`);
    await admin(`PATCH /approvals/${held.action_id}/approve`, {});
    await asAgent(`POST /proxy/execute/${held.action_id}`, {});
    await asAgent(`GET /status/${held.action_id}`);
    await admin(`GET /approvals/${held.action_id}`);
  });

  it('fails, and gets other credentials, which are tested, replaced and reverted', async () => {
    model.answer({ score: 0, explanation: 'reads' });
    upstream.answer(routes((_call, response) => response.destroy(), grant));
    await proxy(service());
    upstream.answer(routes(echo, refuse));
    const { credentials } = WAYS.find((way) => way.name === name)!;
    const path = `/services/${service().id}/credentials`;
    const changed = (value: string) => Object.fromEntries(Object.keys(credentials).map((key) => [key, value]));
    await admin(`POST ${path}/test`, { credentials: changed(PLANTED.tried) });
    await admin(`PUT ${path}`, { credentials: changed(PLANTED.replacement) });
    // An OAuth client needs a new token now, and the provider refuses it.
    await proxy(service());
    await admin(`POST /services/${service().id}/test`, {});
    await admin(`POST ${path}/revert`, {});
    await proxy(service());
    await admin(`GET /services/${service().id}`);
    upstream.answer(routes(echo, grant));
  });
});

it('notifies people, and exports everything', async () => {
  await eventually(() => mail.mails.length > 1 && receiver.calls.some(({ path }) => path === '/callback'));
  for (const format of ['csv', 'ndjson']) {
    const response = await fetch(`${child.url}/audit/export?format=${format}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    seen.push({ where: `export as ${format}`, text: await response.text() });
  }
  const [workspace] = await admin<{ id: number }[]>('GET /workspaces');
  const exported = await fetch(`${child.url}/workspaces/${workspace.id}/export`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(exported.status).toBe(200);
  seen.push({ where: 'the configuration', text: await exported.text() });
  for (const route of ['GET /services', 'GET /agents', 'GET /channels', 'GET /audit', 'GET /admin/status'])
    await admin(route);
});

it('shows none of the secrets anywhere', async () => {
  const database = new Client({ connectionString: child.databaseUrl });
  await database.connect();
  const dump = await dumpDatabase(async (sql) => (await database.query<Record<string, unknown>>(sql)).rows);
  await database.end();
  for (const [table, rows] of Object.entries(dump)) seen.push({ where: `table ${table}`, text: rows.join('\n') });
  seen.push({ where: 'log', text: child.output() });
  seen.push(...model.calls.map(({ body }) => ({ where: 'prompt', text: JSON.stringify(body) })));
  seen.push(...mail.mails.map(({ raw }) => ({ where: 'mail', text: raw })));
  seen.push(...receiver.calls.map(({ body }) => ({ where: 'notification', text: body.toString() })));
  const secrets = { ...PLANTED, ...issued };
  expect(seen.flatMap((sighting) => leaksIn(sighting, secrets).map((name) => `${name} in ${sighting.where}`))).toEqual(
    [],
  );
  // This proves that the search works and had text to search.
  expect(Object.keys(issued)).toHaveLength(4);
  for (const part of ['log', 'prompt', 'mail', 'notification', 'table channel_deliveries'])
    expect(seen.filter(({ where, text }) => where === part && text.length > 100)).not.toEqual([]);
  expect(child.output()).toContain('"level":');
  expect(seen.filter(({ text }) => text.includes('[REDACTED]')).length).toBeGreaterThan(10);
  expect(leaksIn({ where: '', text: encodeURIComponent(PLANTED.query) }, secrets)).toEqual(['query']);
});
