import type { CreatedInvitation, Invitation } from '#contracts';
import { INVITATION_MAILS_PER_ADDRESS_MAX, INVITATION_MAILS_PER_INVITER_MAX } from '#contracts/limits';
import { InvitationMails } from '../src/workspaces/invitation-mails.js';
import { call, login, register } from './support/accounts.js';
import { startChildGateway } from './support/child-gateway.js';
import { dumpDatabase } from './support/database-dump.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { startMailServer, type MailServer } from './support/mail-server.js';

const PUBLIC_URL = 'https://gateway.example.com';

let mail: MailServer;
let gateway: Gateway;
let mine: number;

const settings = () => ({ SMTP_URL: mail.url, MAIL_FROM: 'Agent Gateway <gateway@example.com>', PUBLIC_URL });

beforeAll(async () => {
  mail = await startMailServer();
  gateway = await startGateway(settings());
  mine = gateway.agent.userId;
});
afterAll(async () => {
  await gateway?.close();
  await mail?.close();
});
beforeEach(() => {
  mail.mails.length = 0;
  mail.asked.length = 0;
  mail.refuse(null);
  mail.hang(false);
});

const invite = (email: string, workspace = mine) =>
  gateway.admin<CreatedInvitation>(`POST /workspaces/${workspace}/invitations`, { email, role: 'approver' });
const mailed = (count = 1) => eventually(() => mail.mails.length >= count && mail.mails);
/** The mail of an open invitation, as soon as it matches. */
const waitForMail = (email: string, fits: (mail: NonNullable<Invitation['mail']>) => boolean) =>
  eventually(async () => {
    const open = await gateway.admin<Invitation[]>(`GET /workspaces/${mine}/invitations`);
    const found = open.find((each) => each.email === email)?.mail;
    return found && fits(found) && found;
  });
const rows = () =>
  gateway.app.database.query<{ email: string; state: string; encrypted_token: string | null }[]>(
    'SELECT email, state, encrypted_token FROM invitation_mails ORDER BY invitation_id',
  );
const look = () => gateway.app.app.get(InvitationMails).wake();
const advance = async (by: { seconds?: number; minutes?: number; hours?: number }) => {
  await gateway.app.advance(by);
  await gateway.logInAgain();
  look();
};

it('without mail, or without PUBLIC_URL, the answer says that nothing is mailed', async () => {
  for (const missing of [{ SMTP_URL: '', MAIL_FROM: '' }, { PUBLIC_URL: '' }]) {
    const other = await gateway.secondInstance({ ...settings(), ...missing });
    const made = await other.admin<CreatedInvitation>(`POST /workspaces/${mine}/invitations`, {
      email: 'paper@example.com',
      role: 'auditor',
    });
    expect(made.mail).toBeNull();
    expect(made.url).toMatch(/\/dashboard\/invitations#[0-9a-f]{64}$/);
    await other.app.close();
  }
  expect(mail.asked).toEqual([]);
});

it('an invitation is mailed to its person with the link, and then the token is erased', async () => {
  const made = await invite('ben@example.com');
  expect(made.mail).toEqual({ state: 'pending', lastError: null });
  const [first] = await mailed();
  expect(first).toMatchObject({ from: 'gateway@example.com', to: ['ben@example.com'] });
  expect(first.raw).toContain('Subject: ');
  expect(first.raw).toContain('Ada invited you to the workspace “Ada’s workspace”'.replace('’', "'"));
  expect(first.raw.split(made.url)).toHaveLength(3);
  await waitForMail('ben@example.com', ({ state }) => state === 'delivered');
  expect((await rows()).at(-1)).toEqual({ email: 'ben@example.com', state: 'delivered', encrypted_token: null });
  await register(gateway.app, 'ben@example.com', { invitation: made.url.split('#')[1] });
});

it('while the mail waits, its token is encrypted; a retry sends the same mail', async () => {
  mail.refuse({ code: 451, text: 'words of the server' });
  const made = await invite('carl@example.com');
  const waiting = await waitForMail('carl@example.com', ({ lastError }) => lastError !== null);
  expect(waiting).toEqual({ state: 'pending', lastError: 'answered 451' });
  const dump = JSON.stringify(await dumpDatabase((sql) => gateway.app.database.query<Record<string, unknown>[]>(sql)));
  expect(dump).not.toContain(made.url.split('#')[1]);
  expect(dump).not.toContain('words of the server');
  mail.refuse(null);
  await advance({ seconds: 10 });
  const [second] = await mailed();
  expect(second.raw).toContain(made.url);
});

it('the mail of an invitation that was deleted, replaced or accepted is not sent, and its token is erased', async () => {
  mail.refuse({ code: 451, text: 'later' });
  const deleted = await invite('deleted@example.com');
  await invite('replaced@example.com');
  const accepted = await invite('accepted@example.com');
  for (const email of ['deleted', 'replaced', 'accepted']) {
    await waitForMail(`${email}@example.com`, ({ lastError }) => lastError !== null);
  }
  await gateway.admin(`DELETE /workspaces/${mine}/invitations/${deleted.id}`);
  const replacing = await invite('replaced@example.com');
  await waitForMail('replaced@example.com', ({ lastError }) => lastError !== null);
  await register(gateway.app, 'accepted@example.com', { invitation: accepted.url.split('#')[1] });
  mail.refuse(null);
  await advance({ minutes: 2 });
  const [only] = await mailed();
  await gateway.app.settled();
  expect(only.raw).toContain(replacing.url);
  expect(mail.mails).toHaveLength(1);
  const ended = (await rows()).slice(-4).map(({ email, state, encrypted_token: token }) => [email, state, token]);
  expect(ended).toEqual([
    ['deleted@example.com', 'withdrawn', null],
    ['replaced@example.com', 'withdrawn', null],
    ['accepted@example.com', 'withdrawn', null],
    ['replaced@example.com', 'delivered', null],
  ]);
});

it('reports that the gateway gave up a mail after seven attempts, and keeps no token', async () => {
  mail.refuse({ code: 550, text: 'no such person' });
  await invite('nobody@example.com');
  for (let attempts = 1; attempts < 7; attempts++) {
    await eventually(() => mail.asked.length >= attempts);
    await gateway.app.settled();
    await advance({ hours: 10 });
  }
  const failed = await waitForMail('nobody@example.com', ({ state }) => state === 'failed');
  expect(failed.lastError).toBe('answered 550');
  expect(mail.asked).toHaveLength(7);
  expect((await rows()).at(-1)).toMatchObject({ state: 'failed', encrypted_token: null });
});

it('names and addresses that others chose add no header and no markup', async () => {
  const { id } = await gateway.admin<{ id: number }>('POST /workspaces', {
    name: 'x"><img src=x>\u2028Bcc: mallory@example.com https://evil.example',
  });
  await invite('dora@example.com', id);
  const [first] = await mailed();
  expect(first.to).toEqual(['dora@example.com']);
  expect(first.raw).not.toMatch(/^Bcc:/im);
  expect(first.raw).not.toContain('https://evil');
  const html = first.raw.slice(first.raw.indexOf('<!doctype'));
  expect(html).toContain('x&quot;&gt;&lt;img src=x&gt;');
  expect(html).not.toContain('<img');
  const bad = await gateway.tryAdmin(`POST /workspaces/${mine}/invitations`, {
    email: 'e@example.com\r\nBcc: mallory@example.com',
    role: 'approver',
  });
  expect([bad.status, bad.body.error]).toEqual([400, 'email: must be an email']);
});

it('one address gets a limited number of mails a day; further invitations are links', async () => {
  const email = 'often@example.com';
  for (let sent = 0; sent < INVITATION_MAILS_PER_ADDRESS_MAX; sent++) {
    expect((await invite(email)).mail).not.toBeNull();
    await mailed(sent + 1);
  }
  expect(await invite(email)).toMatchObject({ mail: null, url: expect.stringContaining('#') as string });
  await advance({ hours: 24 });
  expect((await invite(email)).mail).not.toBeNull();
  await mailed(INVITATION_MAILS_PER_ADDRESS_MAX + 1);
});

it('the limits apply to all workspaces of an owner together, also deleted ones, and to invitations at the same time', async () => {
  const workspaces = [];
  for (let made = 0; made < 3; made++)
    workspaces.push((await gateway.admin<{ id: number }>('POST /workspaces', { name: `Flood ${made}` })).id);
  const email = 'flooded@example.com';
  const limit = INVITATION_MAILS_PER_ADDRESS_MAX;
  for (let sent = 0; sent < limit - 1; sent++) expect((await invite(email, workspaces[0])).mail).not.toBeNull();
  await gateway.admin(`DELETE /workspaces/${workspaces[0]}`);
  const last = await Promise.all([workspaces[1], workspaces[2], mine].map((each) => invite(email, each)));
  expect(last.filter((each) => each.mail !== null)).toHaveLength(1);
  await gateway.app.database.query(
    `INSERT INTO invitation_mails (invitation_id, id, workspace_id, email, invited_by, occurred_at, state)
     SELECT -n, gen_random_uuid(), -n, n || '@example.com', $1, now(), 'delivered' FROM generate_series(1, $2::int) n`,
    [mine, INVITATION_MAILS_PER_INVITER_MAX],
  );
  expect((await invite('one-more@example.com', workspaces[1])).mail).toBeNull();
  await gateway.app.database.query('DELETE FROM invitation_mails WHERE invitation_id < 0');
});

it('a gateway that is killed during the attempt leaves the mail to the next one, with the same id', async () => {
  const before = await startGateway(settings());
  const { databaseUrl } = before.app;
  const workspace = before.agent.userId;
  await before.app.close();
  const child = await startChildGateway({ DATABASE_URL: databaseUrl, ...settings() });
  mail.hang(true);
  const { accessToken: token } = await login(child, 'ada@example.com');
  const body = { email: 'killed@example.com', role: 'approver' };
  const made = await call<CreatedInvitation>(child, `POST /workspaces/${workspace}/invitations`, { token, body });
  expect(made.body.mail).toEqual({ state: 'pending', lastError: null });
  await eventually(() => mail.asked.length === 1);
  child.kill('SIGKILL');
  await child.exited;

  mail.hang(false);
  const next = await before.secondInstance(settings());
  await next.app.advance({ seconds: 31 });
  next.app.app.get(InvitationMails).wake();
  const [only] = await mailed();
  expect(only.to).toEqual(['killed@example.com']);
  expect(only.raw).toContain(made.body.url);
  await next.app.settled();
  const [{ id, state }] = await next.app.database.query<{ id: string; state: string }[]>(
    'SELECT id, state FROM invitation_mails',
  );
  expect(only.raw).toContain(`Message-ID: <${id}@example.com>`);
  expect(state).toBe('delivered');
  await next.close();
});
