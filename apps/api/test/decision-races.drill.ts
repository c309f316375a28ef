import type { Action, AuditRecord } from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import type { Answer } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { team, type Team } from './support/team.js';

/** `RACE_ROUNDS=200` runs them at full length. */
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 20);
/** Rounds at the same time, so that they disturb each other too. */
const AT_ONCE = 5;

/** Two instances on one database. Ada works on the first, Bo and Cy on the second. */
let a: Gateway;
let b: Gateway;
let people: Team;
beforeAll(async () => {
  a = await startGateway({ ALLOW_REGISTRATION: 'true' });
  b = await a.secondInstance();
  people = team(a);
  await people.join('bo', 'approver');
  await people.join('cy', 'approver');
  a.upstream.answer((_call, response) => response.end('{}'));
  for (const [approvals, pathPattern] of [
    [2, '/two/**'],
    [1, '/one/**'],
  ] as const) {
    const rule = { name: 'Ask', effect: 'require_approval', approvals, pathPattern };
    await a.admin(`POST /services/${a.service.id}/risk-rules`, rule);
  }
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});

let serial = 0;
const hold = async (needed: 'one' | 'two'): Promise<string> =>
  (await a.hold({ targetUrl: `${a.upstream.url}/v1/${needed}/${++serial}` })).action_id;
const decide = (who: string, verb: string, id: string, body: object = {}) =>
  people.as<Action & { error: string }>(
    who,
    `${verb === 'revise' ? 'POST' : 'PATCH'} /approvals/${id}/${verb}`,
    body,
    who === 'ada' ? a.app : b.app,
  );
const get = (id: string) => a.admin<Action>(`GET /approvals/${id}`);
const sentTo = (action: Action) => a.upstream.calls.filter(({ path }) => action.targetUrl.endsWith(path)).length;

/** The decisions about an action, oldest first. The records are written with the decisions. */
async function story(id: string): Promise<string[]> {
  const { items } = await a.admin<{ items: AuditRecord[] }>(`GET /audit?kind=change&actionId=${id}&limit=50`);
  return items.map(({ reason }) => reason!.replace('action.', '')).reverse();
}

/** Runs rounds, several at once. */
async function rounds(round: (index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < ROUNDS; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, ROUNDS - first);
    await Promise.all(Array.from({ length: count }, (_, index) => round(first + index)));
  }
}

/** Starts all of them, in an order that changes with the round. */
function race<T>(index: number, starts: (() => Promise<T>)[]): Promise<T[]> {
  const order = starts.map((_, at) => (at + index) % starts.length);
  const running: Promise<T>[] = [];
  for (const at of order) running[at] = starts[at]();
  return Promise.all(running);
}

const won = ({ status }: Answer<unknown>): boolean => status < 300;
const outcome = (answer: Answer<{ error: string }>): string =>
  won(answer) ? 'ok' : `${answer.status} ${answer.body.error}`;

it('of two second approvals, one makes the action APPROVED, and the other caller is told so', async () => {
  await rounds(async (index) => {
    const id = await hold('two');
    await decide('ada', 'approve', id);
    const answers = await race(index, [() => decide('bo', 'approve', id), () => decide('cy', 'approve', id)]);
    expect(answers.map(outcome).sort()).toEqual(['409 Action is already APPROVED', 'ok']);
    const action = await get(id);
    const names = action.approvals.given.map(({ name }) => name);
    expect([action.status, names]).toEqual(['APPROVED', ['Ada', won(answers[0]) ? 'bo' : 'cy']]);
    expect(await story(id)).toEqual(['approval_given', 'approved']);
  });
});

it('of two first approvals by one person, one counts', async () => {
  await rounds(async (index) => {
    const id = await hold('two');
    const answers = await race(index, [() => decide('bo', 'approve', id), () => decide('bo', 'approve', id)]);
    expect(answers.map(outcome).sort()).toEqual(['409 You have already approved this action', 'ok']);
    expect(await get(id)).toMatchObject({ status: 'PENDING', approvals: { given: [{ name: 'bo' }] } });
  });
});

/** Tries while the action is pending, so that it hits the moment right after an approval. */
async function executeSoon(id: string): Promise<{ status: number }> {
  for (let attempt = 0; ; attempt++) {
    const answer = await b.execute(id);
    if (attempt === 50 || answer.headers.get('x-error-code') !== 'action_pending') return answer;
  }
}

it('when approve, deny, withdraw, execute and expiry race, the action ends in one allowed state', async () => {
  const ends = new Set<string>();
  await rounds(async (index) => {
    const id = await hold('one');
    const answers = await race<{ status: number }>(index, [
      () => decide('ada', 'approve', id),
      () => decide('bo', 'deny', id),
      async () => (index % 2 === 0 ? decide('cy', 'withdraw', id) : { status: 0 }),
      () => executeSoon(id),
      async () => {
        await a.app.database.query(
          `UPDATE actions SET expires_at = now(), approval_expires_at = now() WHERE id = $1 AND $2 AND status IN ('PENDING', 'APPROVED')`,
          [id, index % 4 === 0],
        );
        await b.app.app.get(ApprovalQueue).expire();
        return { status: 0 };
      },
    ]);
    const [approved, denied, withdrawn, executed] = answers.map(({ status }) => status > 0 && status < 300);
    const action = await get(id);
    const expected = [
      ...(denied ? ['denied'] : []),
      ...(approved ? ['approved'] : []),
      ...(withdrawn ? ['withdrawn'] : []),
    ];
    expect(await story(id)).toEqual(expected);
    // The first decision wins, and the final status is one that the transition table allows.
    expect([approved, denied].filter(Boolean).length).toBeLessThanOrEqual(1);
    if (denied) expect(action.status).toBe('DENIED');
    else if (!approved) expect(['EXPIRED', 'PENDING']).toContain(action.status);
    else
      expect([withdrawn, executed, action.status]).toEqual(
        withdrawn ? [true, false, 'DENIED'] : executed ? [false, true, 'EXECUTED'] : [false, false, action.status],
      );
    if (approved && !withdrawn && !executed) expect(['APPROVED', 'EXPIRED']).toContain(action.status);
    ends.add(action.status);
    expect(sentTo(action)).toBe(executed ? 1 : 0);
  });
  // Without an executed action, the race would prove nothing about executions.
  expect([...ends]).toEqual(expect.arrayContaining(['DENIED', 'EXECUTED']));
});

it('a role is taken away during a decision: the approval either came before, or does not count', async () => {
  const setRole = (role: string) =>
    people.as('ada', `PUT /workspaces/${people.workspaceId}/members/${people.findId('cy')}`, { role });
  for (let index = 0; index < ROUNDS; index++) {
    const id = await hold('two');
    await decide('bo', 'approve', id);
    const [approval, change] = await race<Answer<{ error: string }>>(index, [
      () => decide('cy', 'approve', id),
      () => setRole('auditor'),
    ]);
    expect(change.status).toBe(200);
    const { status, approvals } = await get(id);
    if (won(approval)) expect([status, approvals.given.length]).toEqual(['APPROVED', 2]);
    else expect([outcome(approval), status]).toEqual(['403 Your role (auditor) does not allow this', 'PENDING']);
    expect(await story(id)).toEqual(won(approval) ? ['approval_given', 'approved'] : ['approval_given']);
    await setRole('approver');
  }
});

it('an approval races with a change of the base URL: the request is sent only to the address that its approver saw', async () => {
  const { baseUrl, id: serviceId } = a.service;
  const move = (to: string) => a.tryAdmin(`PUT /services/${serviceId}`, { baseUrl: to });
  for (let index = 0; index < ROUNDS; index++) {
    const id = await hold('one');
    const { digest } = await get(id);
    const [approval] = await race<Answer<unknown>>(index, [
      () => decide('bo', 'approve', id, { digest }),
      () => move(a.upstream.url),
    ]);
    const execution = await b.execute(id);
    const action = await get(id);
    expect([won(approval), execution.status, sentTo(action)]).toEqual([won(approval), 409, 0]);
    expect(action.status).toBe(won(approval) ? 'APPROVED' : 'PENDING');
    await move(baseUrl);
  }
});

it('revise, deny and approve race: one wins, and a revision exists only if revise won', async () => {
  await rounds(async (index) => {
    const id = await hold('one');
    const answers = await race(index, [
      () => decide('ada', 'revise', id, { headers: { 'X-Round': String(index) } }),
      () => decide('bo', 'deny', id),
      () => decide('cy', 'approve', id),
    ]);
    expect(answers.filter(won)).toHaveLength(1);
    const [revised, denied] = answers.map(won);
    const action = await get(id);
    expect([action.status, action.revised_as !== null]).toEqual([revised || denied ? 'DENIED' : 'APPROVED', revised]);
    expect(await story(id)).toEqual([revised ? 'revised' : denied ? 'denied' : 'approved']);
    const [{ count }] = await a.app.database.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM actions WHERE revises = $1',
      [id],
    );
    expect(count).toBe(revised ? 1 : 0);
    if (revised) expect(await get(action.revised_as!)).toMatchObject({ status: 'APPROVED', revises: id });
  });
});

it('settings change during a decision: the approval of a person who may no longer approve does not count', async () => {
  const separate = (separationOfDuties: boolean) =>
    people.as('ada', `PUT /workspaces/${people.workspaceId}`, { settings: { separationOfDuties } });
  for (let index = 0; index < ROUNDS; index++) {
    const id = await hold('two');
    const [approval] = await race<Answer<{ error: string }>>(index, [
      () => decide('ada', 'approve', id),
      () => separate(true),
    ]);
    if (!won(approval)) expect(outcome(approval)).toBe('403 You may not decide this action');
    // Ada made the agent.
    expect(await get(id)).toMatchObject({ status: 'PENDING', approvals: { given: [] } });
    expect((await decide('bo', 'approve', id)).body.status).toBe('PENDING');
    expect((await decide('cy', 'approve', id)).body.status).toBe('APPROVED');
    await separate(false);
  }
});
