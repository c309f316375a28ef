import fs from 'node:fs';
import type { CreatedAccessToken, CreatedChannel, CreatedInvitation, RotatedChannelSecret } from '#contracts';
import { VapidKeys } from '../../src/web-push/vapid-keys.js';
import { call, login, type Answer } from '../support/accounts.js';
import { dumpDatabase } from '../support/database-dump.js';
import { startFakeUpstream, type FakeUpstream } from '../support/fake-upstream.js';
import { startGateway, type Gateway } from '../support/gateway.js';
import { leaksIn, type Sighting } from '../support/leak-search.js';
import { startMailServer, type MailServer } from '../support/mail-server.js';
import { Browser, startOpenIdProvider, type OpenIdProviderProcess } from '../support/openid-provider.js';
import { PushSubscriber } from '../support/push-subscriber.js';
import { callHook, encodeForm, pressed } from '../support/slack-hook.js';
import { BOT_TOKEN, SIGNING_SECRET, Slack, SLACK_CHANNEL } from '../support/slack.js';
import { tokenIn } from '../support/slack-gateway.js';

const PUBLIC_URL = 'https://gateway.example.com';

/**
 * Puts recognisable values in every secret of channels, invitations, tokens and sign-ins, makes every receiver fail and
 * echo what it got, and searches everything that the gateway says or stores: responses, log lines at the finest level,
 * prompts, messages, the database.
 */
const secrets: Record<string, string> = {
  smtpPassword: 'planted-smtp-password-4d1f',
  botToken: BOT_TOKEN,
  signingSecret: SIGNING_SECRET,
  oidcSecret: 'planted-openid-secret',
  oidcCode: 'planted-authorization-code',
  webhookPath: 'planted-webhook-path-91c2',
  ntfyTopic: 'planted-ntfy-topic-77aa',
  pushPath: 'planted-push-path-0b3e',
};
const seen: Sighting[] = [];
const log: string[] = [];

let gateway: Gateway;
let slack: Slack;
let mail: MailServer;
let provider: OpenIdProviderProcess;
let receiver: FakeUpstream;
let channels: CreatedChannel[] = [];
let bot: CreatedChannel;

beforeAll(async () => {
  const write = fs.writeSync.bind(fs) as (...all: unknown[]) => number;
  jest.spyOn(fs, 'writeSync').mockImplementation((fd: number, data: string | Uint8Array, ...rest: unknown[]) => {
    if (fd !== 1) return write(fd, data, ...rest);
    log.push(String(data));
    return Buffer.byteLength(data);
  });
  [slack, mail, receiver] = await Promise.all([Slack.start(), startMailServer(), startFakeUpstream()]);
  provider = await startOpenIdProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  gateway = await startGateway({
    LOG_LEVEL: 'trace',
    PUBLIC_URL,
    ALLOW_REGISTRATION: 'true',
    PRIVATE_CHANNEL_ALLOWLIST: `${slack.hostAndPort},${receiver.hostAndPort}`,
    SMTP_URL: mail.url.replace('secret', secrets.smtpPassword),
    MAIL_FROM: 'gateway@example.com',
    OIDC_ISSUER: provider.url,
    OIDC_CLIENT_ID: 'gateway',
    OIDC_CLIENT_SECRET: secrets.oidcSecret,
  });
  slack.serve(gateway.app);
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([slack?.close(), mail?.close(), receiver?.close(), provider?.close()]);
  jest.restoreAllMocks();
});

/** A request whose answer may contain no secret. */
async function ask<T = Record<string, unknown>>(route: string, body?: object): Promise<Answer<T>> {
  const answer = await gateway.tryAdmin<T>(route, body);
  seen.push({ where: route, text: JSON.stringify([answer.body, [...answer.headers]]) });
  return answer;
}

it('makes everything that has a secret', async () => {
  const create = (type: string, fields: object) =>
    gateway.admin<CreatedChannel>('POST /channels', { type, name: `My ${type}`, ...fields });
  const browser = new PushSubscriber(`${receiver.url}/${secrets.pushPath}`);
  Object.assign(secrets, { pushAuth: browser.subscription.keys.auth });
  bot = await create('slack', {
    botToken: BOT_TOKEN,
    signingSecret: SIGNING_SECRET,
    slackChannel: SLACK_CHANNEL,
    decideBelowRisk: 1,
  });
  const webhook = await create('webhook', { target: `${receiver.url}/${secrets.webhookPath}` });
  secrets.webhookSecret = webhook.secret!;
  const rotated = await gateway.admin<RotatedChannelSecret>(`POST /channels/${webhook.id}/rotate-secret`);
  secrets.newWebhookSecret = rotated.secret;
  channels = [
    bot,
    webhook,
    await create('ntfy', { target: `${receiver.url}/${secrets.ntfyTopic}` }),
    await create('webpush', { subscription: browser.subscription }),
    await create('email', {}),
  ];
  secrets.vapidKey = (await gateway.app.app.get(VapidKeys, { strict: false }).pair()).privateKey;
  const expiresAt = new Date(gateway.app.clock.nowMs() + 3_600_000).toISOString();
  const token = { name: 'CI', workspaceId: gateway.agent.userId, role: 'admin', expiresAt };
  secrets.accessToken = (await gateway.admin<CreatedAccessToken>('POST /auth/tokens', token)).token;
  const email = 'dee@example.com';
  const route = `POST /workspaces/${gateway.agent.userId}/invitations`;
  secrets.invitation = (await gateway.admin<CreatedInvitation>(route, { email, role: 'approver' })).url.split('#')[1];
  const session = await login(gateway.app, 'ada@example.com');
  Object.assign(secrets, { session: session.accessToken, refresh: session.refreshToken });
  expect(Object.values(secrets).every((secret) => secret.length > 15)).toBe(true);
});

it('makes every receiver fail, with an echo of what it got', async () => {
  mail.refuse({ code: 535, text: `bad login of gateway:${secrets.smtpPassword}` });
  slack.faults.set('chat.postMessage', { error: `invalid_auth for ${BOT_TOKEN}`, headers: { 'x-token': BOT_TOKEN } });
  for (const status of [500, 302, 401, 410]) {
    receiver.answer(({ path, headers, body }, response) => {
      const echo = JSON.stringify({ path, headers, body: body.toString(), secrets });
      response.writeHead(status, { location: `https://x.example${path}`, 'x-echo': path }).end(echo);
    });
    await gateway.hold();
    for (const { id } of channels) await ask(`POST /channels/${id}/test`);
    await gateway.app.settled();
  }
  for (const { id } of channels) await ask(`GET /channels/${id}/deliveries`);
});

it('asks for a link in Slack, and calls it with wrong signatures', async () => {
  slack.reset();
  const { action_id: id } = await gateway.hold();
  slack.faults.set('views.open', { error: `no_${SIGNING_SECRET}` });
  const pressedButton = await callHook(gateway.app, bot.id, encodeForm(pressed('approve', id)));
  secrets.slackLink = tokenIn(slack.ephemeral.at(-1)!);
  const forged = await callHook(gateway.app, bot.id, encodeForm(pressed('deny', id)), { secret: 'x' });
  expect([pressedButton.status, forged.status]).toEqual([200, 401]);
  for (const { text } of [pressedButton, forged]) seen.push({ where: 'hook', text });
  await ask('POST /slack-links', { token: secrets.slackLink });
  await ask('POST /slack-links/view', { token: `${secrets.slackLink.slice(1)}0` });
});

it('signs in with a provider that fails', async () => {
  for (const answer of ['error', 'html', 'ok'] as const) {
    await provider.set({ answer });
    const browser = new Browser();
    const to = await browser.follow(`${gateway.url}/auth/oidc/start`, ({ origin }) => origin === PUBLIC_URL);
    if (answer === 'ok')
      to.search = `${to.search}&error=server_error`.replace(/code=[^&]*/, `code=${secrets.oidcCode}`);
    const back = await browser.get(`${gateway.url}${to.pathname}${to.search}`);
    expect(back.headers.get('location')).toMatch(/^\/dashboard\/login\?error=/);
    seen.push({ where: 'callback', text: JSON.stringify([...back.headers]) });
  }
});

it('loses tables under every endpoint that takes or reads a secret', async () => {
  const home = `/workspaces/${gateway.agent.userId}`;
  const failures: number[] = [];
  const tables = [
    'channels',
    'channel_deliveries',
    'invitations',
    'access_tokens',
    'slack_link_requests',
    'web_push_keys',
  ];
  for (const table of [...tables, 'audit_records', 'oidc_sign_ins']) {
    await gateway.app.database.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    const target = `${receiver.url}/${secrets.webhookPath}`;
    for (const { status } of [
      await ask('POST /channels', { type: 'webhook', name: 'x', target }),
      await ask(`PUT /channels/${channels[1].id}`, { target }),
      await ask(`POST /channels/${channels[1].id}/test`),
      await ask(`PUT /channels/${bot.id}`, { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET, slackChannel: 'C1' }),
      await ask('POST /invitations/accept', { token: secrets.invitation }),
      await ask('POST /slack-links/view', { token: secrets.slackLink }),
      await ask('GET /channels/webpush/key'),
      await ask(`GET ${home}/invitations`),
      await call(gateway.app, 'GET /services', { token: secrets.accessToken }),
      await callHook(gateway.app, bot.id, encodeForm(pressed('approve', 'x'))),
    ]) {
      failures.push(status);
    }
    await gateway.app.database.query(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
  expect(failures.filter((status) => status === 500).length).toBeGreaterThan(10);
});

it('finds none of the secrets anywhere', async () => {
  const home = `/workspaces/${gateway.agent.userId}`;
  for (const route of [
    '/channels',
    '/audit?limit=200',
    '/admin/status',
    '/health',
    `${home}/export`,
    `${home}/members`,
  ])
    seen.push({ where: route, text: await (await fetch(gateway.url + route, bearer())).text() });
  await gateway.app.settled();
  seen.push({ where: 'log', text: log.join('') });
  seen.push(...gateway.model.calls.map(({ body }) => ({ where: 'prompt', text: JSON.stringify(body) })));
  seen.push(...receiver.calls.map(({ body }) => ({ where: 'message', text: body.toString() })));
  seen.push({ where: 'Slack', text: JSON.stringify(slack.messages) });
  const dump = await dumpDatabase((sql) => gateway.app.database.query<Record<string, unknown>[]>(sql));
  for (const [table, rows] of Object.entries(dump)) seen.push({ where: `table ${table}`, text: rows.join('\n') });
  expect(log.join('')).toContain('notification');
  const found = seen.flatMap((sighting) => leaksIn(sighting, secrets).map((name) => `${name} in ${sighting.where}`));
  expect([...new Set(found)]).toEqual([]);
});

const bearer = () => ({ headers: { Authorization: `Bearer ${gateway.token}` } });
