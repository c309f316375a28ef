import type {
  AuditRecord,
  HeldResponse,
  Pause,
  ResumedWorkspace,
  Service,
  Workspace,
  WorkspaceSummary,
} from '#contracts';
import { openEvents } from './support/event-stream.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';
import { createRule } from './support/resources.js';
import { team } from './support/team.js';

/** Two instances on one database. A pause on `a` must apply to the next request on `b`. */
let a: Gateway;
let b: Gateway;
let workspace: string;
beforeAll(async () => {
  a = await startGateway({ ALLOW_REGISTRATION: 'true' });
  b = await a.secondInstance();
  workspace = `/workspaces/${a.agent.userId}`;
});
afterAll(async () => {
  await b?.app.close();
  await a?.close();
});
beforeEach(() => {
  a.model.answer({ score: 0 });
  a.upstream.calls.length = 0;
});

const statusAndError = (answer: ProxyAnswer) => [answer.status, answer.json<{ error?: string }>().error];
const pauseWorkspace = (reason: string) => a.admin<Workspace>(`POST ${workspace}/pause`, { reason });
const resumeWorkspace = () => a.admin<ResumedWorkspace>(`POST ${workspace}/resume`);
const setService = (body: object) => a.admin<Service>(`PUT /services/${a.service.id}`, body);
const post = (gateway: Gateway, idempotencyKey: string) =>
  gateway.proxy({
    method: 'POST',
    targetUrl: `${a.upstream.url}/v1/orders`,
    body: JSON.stringify({ order: idempotencyKey }),
    idempotencyKey,
  });

const ways: [string, () => Promise<unknown>, () => Promise<{ refusedRequests?: number }>, string][] = [
  ['workspace', () => pauseWorkspace(' Bo looks at it '), resumeWorkspace, 'Paused: Bo looks at it'],
  [
    'service',
    () => setService({ isPaused: true, pausedReason: 'Invoices are wrong' }),
    () => setService({ isPaused: false }),
    'Paused: Invoices are wrong',
  ],
  [
    'service without a reason',
    () => setService({ isPaused: true }),
    () => setService({ isPaused: false }),
    'Paused: Shop',
  ],
];

describe.each(ways)('a paused %s', (name, pause, resume, text) => {
  let executable: HeldResponse;
  let pending: HeldResponse;
  let resumed: { refusedRequests?: number };

  beforeAll(async () => {
    executable = await b.hold({ intent: `execute ${name}`, targetUrl: `${a.upstream.url}/v1/customers/1` });
    await a.approve(executable.action_id);
    pending = await b.hold({ intent: `decide ${name}`, targetUrl: `${a.upstream.url}/v1/customers/2` });
    a.model.answer({ score: 0 });
    expect((await post(b, `stored ${name}`)).status).toBe(200);
    a.model.answer({ score: 1 });
    expect((await post(b, `bound ${name}`)).status).toBe(428);
    a.model.answer({ score: 0 });
    expect((await b.proxy()).status).toBe(200);
    await pause();
  });

  const refused: [string, () => Promise<ProxyAnswer>][] = [
    ['request', () => b.proxy()],
    ['request with an unused key', () => post(b, `new ${name}`)],
    ['repeat of a key with a stored response', () => post(b, `stored ${name}`)],
    ['repeat of a key that is bound to an action', () => post(b, `bound ${name}`)],
    ['dry run', () => b.proxy({}, { Prefer: 'handling=dry-run' })],
    ['execution', () => b.execute(executable.action_id)],
    ['request to the base URL', () => b.agentCall('GET', '/s/Shop/customers', undefined, {})],
  ];
  it.each(refused)('refuses a %s on another instance', async (_what, ask) => {
    const answer = await ask();
    expect([...statusAndError(answer), answer.headers.get('x-error-code')]).toEqual([403, text, 'paused']);
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('reports the status of an action, and lets people decide', async () => {
    expect((await b.status(pending.action_id)).json()).toMatchObject({ status: 'PENDING' });
    await a.approve(pending.action_id);
    expect((await b.status(pending.action_id)).json()).toMatchObject({ status: 'APPROVED' });
  });

  it('is resumed, reports the number of refused requests, and forwards requests again', async () => {
    resumed = await resume();
    expect(resumed.refusedRequests).toBe(refused.length);
    expect((await b.proxy()).status).toBe(200);
    expect((await post(b, `new ${name}`)).status).toBe(200);
    expect((await b.execute(executable.action_id)).status).toBe(200);
    expect((await b.execute(pending.action_id)).status).toBe(200);
  });

  it('leaves records of the pause and of each refusal', async () => {
    const records = await a.audit('&outcome=refused');
    const of = records.filter(({ reason }) => reason === text).slice(0, refused.length);
    expect(of.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(of.filter(({ kind }) => kind === 'execution')).toHaveLength(1);
    const changes = (await a.audit('&kind=change')).map(({ reason, details }: AuditRecord) => [reason, details]);
    const what = name.split(' ')[0];
    expect(changes.find(([reason]) => reason === `${what}.resumed`)?.[1]).toEqual({ refusedRequests: refused.length });
    expect(changes.some(([reason]) => reason === `${what}.paused`)).toBe(true);
    expect(changes.some(([reason]) => reason === 'service.updated')).toBe(false);
  });
});

it('shows who paused a workspace and why, to every member and live', async () => {
  const events = await openEvents(a.url, a.token);
  const { pause } = await pauseWorkspace('first');
  const id = a.agent.userId;
  await events.next((event) => event.type === 'workspace.updated' && event.id === id);
  const again = await pauseWorkspace('second');
  expect(again.pause).toEqual({ ...(pause as Pause), reason: 'second' });
  const [listed] = await a.admin<WorkspaceSummary[]>('GET /workspaces');
  expect(listed.pause).toEqual({ reason: 'second', at: expect.any(String), by: { id, name: 'Ada' } });
  expect(statusAndError(await b.proxy())).toEqual([403, 'Paused: second']);
  expect(await resumeWorkspace()).toMatchObject({ pause: null, refusedRequests: 1 });
  const late = await a.tryAdmin(`POST ${workspace}/resume`);
  expect([late.status, late.body.error]).toEqual([409, 'The workspace is not paused']);
  events.close();
});

it('lets approvers pause, and end only what they paused themselves', async () => {
  const people = team(a);
  await people.join('abby', 'approver');
  await people.join('otto', 'auditor');
  const as = (who: string, what: 'pause' | 'resume') =>
    people.as<Workspace & { error?: string }>(who, `POST ${workspace}/${what}`, { reason: 'stop' });

  expect((await as('otto', 'pause')).status).toBe(403);
  expect((await as('abby', 'pause')).body.pause).toMatchObject({ by: { name: 'abby' } });
  expect(statusAndError(await b.proxy())).toEqual([403, 'Paused: stop']);
  expect((await as('abby', 'resume')).status).toBe(200);
  expect((await b.proxy()).status).toBe(200);

  await pauseWorkspace('the invoices');
  // Otherwise the approver could take the pause over, and end it.
  for (const what of ['pause', 'resume'] as const) {
    const { status, body } = await as('abby', what);
    expect([what, status, body.error]).toEqual([what, 403, 'Your role (approver) does not allow this']);
  }
  expect(statusAndError(await b.proxy())).toEqual([403, 'Paused: the invoices']);
  await resumeWorkspace();
  expect((await as('abby', 'resume')).status).toBe(409);
});

it('shows who paused a service and why', async () => {
  const paused = await setService({ isPaused: true, pausedReason: 'x' });
  const by = { id: a.agent.userId, name: 'Ada' };
  expect(paused).toMatchObject({ isPaused: true, pausedReason: 'x', pausedAt: expect.any(String), pausedBy: by });
  expect(paused).not.toHaveProperty('refusedRequests');
  const resumed = await setService({ isPaused: false });
  const none = { isPaused: false, pausedReason: null, pausedAt: null, pausedBy: null };
  expect(resumed).toMatchObject({ ...none, refusedRequests: 0 });
  // Resuming twice changes nothing.
  expect(await setService({ isPaused: false })).not.toHaveProperty('refusedRequests');
});

it('a pause of one service does not affect other services', async () => {
  const other = await a.createService({ name: 'Other', baseUrl: `${a.upstream.url}/other` });
  const { apiKey } = await a.createAgent('both', [a.service.id, other.id]);
  await setService({ isPaused: true });
  const ask = (path: string) => b.proxy({ targetUrl: a.upstream.url + path }, { 'Agent-Key': apiKey });
  expect((await ask('/other/x')).status).toBe(200);
  expect((await ask('/v1/x')).status).toBe(403);
  await setService({ isPaused: false });
});

it('a request that waits for its decision is not sent after a pause', async () => {
  a.model.answer({ score: 0.9 });
  const events = await openEvents(a.url, a.token);
  const waiting = b.proxy({ method: 'DELETE', intent: 'wait' }, { Prefer: 'wait=30' });
  const { id } = await events.next((event) => event.type === 'action.created');
  await pauseWorkspace('not now');
  await a.approve(String(id));
  expect(statusAndError(await waiting)).toEqual([403, 'Paused: not now']);
  expect(a.upstream.calls).toHaveLength(0);
  await resumeWorkspace();
  expect((await b.execute(String(id))).status).toBe(200);
  events.close();
});

it('a request that waits and is then refused is recorded as an execution', async () => {
  a.model.answer({ score: 0.9 });
  const events = await openEvents(a.url, a.token);
  const waiting = b.proxy({ method: 'DELETE', intent: 'wait for a refusal' }, { Prefer: 'wait=30' });
  const { id } = await events.next((event) => event.type === 'action.created');
  const rule = await createRule(a.app, a.token, a.service.id, { name: 'No', effect: 'deny', methods: ['DELETE'] });
  await a.approve(String(id));
  expect(statusAndError(await waiting)).toEqual([403, 'Denied by risk rule "No"']);
  const [record] = await a.audit('&outcome=refused');
  expect(record).toMatchObject({ kind: 'execution', actionId: id, reason: 'Denied by risk rule "No"' });
  await a.admin(`DELETE /services/${a.service.id}/risk-rules/${rule.id}`);
  events.close();
});

it('no request is sent after the commit of a pause, in any order of the race', async () => {
  for (let round = 0; round < 20; round++) {
    a.upstream.calls.length = 0;
    const running = Array.from({ length: 8 }, (_, n) => post(n % 2 ? a : b, `race ${round} ${n}`));
    await pauseWorkspace(`round ${round}`);
    const sent = a.upstream.calls.length;
    const late = await Promise.all([a.proxy(), b.proxy(), post(b, `late ${round}`)]);
    expect(late.map(({ status }) => status)).toEqual([403, 403, 403]);
    const answers = await Promise.all(running);
    expect(answers.filter(({ status }) => status === 200).length).toBe(a.upstream.calls.length);
    expect(a.upstream.calls.length).toBeGreaterThanOrEqual(sent);
    await resumeWorkspace();
  }
});

describe('is refused without a change:', () => {
  it.each([
    [`POST`, '/pause', {}, 'reason'],
    [`POST`, '/pause', { reason: ' ' }, 'reason'],
    [`POST`, '/pause', { reason: 'x'.repeat(201) }, 'reason'],
    [`POST`, '/pause', { reason: 'two\nlines' }, 'reason: must be one line'],
    [`POST`, '/pause', { reason: 'two\u2028lines' }, 'reason: must be one line'],
    [`POST`, '/pause', { reason: 7 }, 'reason'],
  ])('%s %s %j', async (method, path, body, error) => {
    const answer = await a.tryAdmin(`${method} ${workspace}${path}`, body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
    expect((await a.admin<Workspace>(`GET ${workspace}`)).pause).toBeNull();
  });

  it.each([
    [{ isPaused: 'yes' }, 'isPaused'],
    [{ isPaused: null }, 'isPaused'],
    [{ isPaused: false, pausedReason: 'x' }, 'pausedReason: needs isPaused: true'],
    [{ name: 'Shop', pausedReason: 'x' }, 'pausedReason: needs isPaused: true'],
    [{ isPaused: true, pausedReason: 'x\ry' }, 'pausedReason: must be one line'],
  ])('PUT /services/:id %j', async (body, error) => {
    const answer = await a.tryAdmin(`PUT /services/${a.service.id}`, body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
    expect((await a.admin<Service>(`GET /services/${a.service.id}`)).isPaused).toBe(false);
  });
});
