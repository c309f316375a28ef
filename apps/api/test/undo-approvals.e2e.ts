import type { Action, AuditStats, HeldResponse, RiskRule } from '#contracts';
import type { Answer } from './support/accounts.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';
import { team, type Team } from './support/team.js';

/** Two instances on one database. */
let gateway: Gateway;
let other: Gateway;
let people: Team;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true' });
  other = await gateway.secondInstance();
  people = team(gateway);
  await people.join('bo', 'approver');
  await people.join('cy', 'approver');
  const rule = { name: 'Two', effect: 'require_approval', approvals: 2, pathPattern: '/two/**' };
  await gateway.admin<RiskRule>(`POST /services/${gateway.service.id}/risk-rules`, rule);
});
afterAll(async () => {
  await other.app.close();
  await gateway.close();
});
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{}'));
});

let serial = 0;
const target = (path = 'undone'): string => `${gateway.upstream.url}/v1/${path}/${++serial}`;
const hold = async (path?: string): Promise<string> => (await gateway.hold({ targetUrl: target(path) })).action_id;
type Decided = Answer<Action & { error: string }>;
const decide = (who: string, verb: string, id: string, app = gateway.app): Promise<Decided> =>
  people.as<Action & { error: string }>(who, `PATCH /approvals/${id}/${verb}`, {}, app);
const undo = (id: string, who = 'ada', app = gateway.app) => decide(who, 'undo', id, app);
const get = (id: string) => gateway.admin<Action>(`GET /approvals/${id}`);
const outcome = ({ status, body }: Decided): string => (status === 200 ? body.status : `${status} ${body.error}`);
const sql = (text: string, id: string) => gateway.app.database.query(text, [id]);
const expire = (id: string) => sql('UPDATE actions SET expires_at = now() WHERE id = $1', id);
const story = async (id: string): Promise<string[]> =>
  (await gateway.audit(`&kind=change&actionId=${id}`)).map(({ reason }) => reason!.replace('action.', '')).reverse();

describe('PATCH /approvals/:actionId/undo', () => {
  it('lets the action wait as before, and it can be approved and executed later', async () => {
    const id = await hold();
    const before = await get(id);
    await gateway.approve(id, 'fine');
    const undone = await undo(id);
    expect(undone.status).toBe(200);
    expect(undone.body).toEqual(before);
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'PENDING', action_id: id });
    const execution = await gateway.execute(id);
    expect([execution.status, execution.json().error]).toEqual([409, 'Cannot execute action with status PENDING']);
    expect(gateway.upstream.calls).toHaveLength(0);
    await gateway.approve(id);
    expect((await gateway.execute(id)).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('is recorded, and found among the decisions', async () => {
    const id = await hold();
    await gateway.approve(id);
    await undo(id);
    expect(await story(id)).toEqual(['approved', 'undone']);
    const [record] = await gateway.audit('&kind=change&decision=undone');
    expect(record).toMatchObject({ reason: 'action.undone', actionId: id, actor: { name: 'Ada' } });
    expect(record.summary).toMatch(/^DELETE /);
  });

  it('keeps the idempotency key bound to the action', async () => {
    const request = { targetUrl: target(), idempotencyKey: 'undone-key' };
    const { action_id: id } = await gateway.hold(request);
    await gateway.approve(id);
    await undo(id);
    expect((await gateway.hold(request)).action_id).toBe(id);
  });

  it('is no denial: when the time to decide is over, an equal request is not held for it', async () => {
    const request = { method: 'DELETE', targetUrl: target(), intent: 'tidy up' };
    const { action_id: id } = await gateway.hold(request);
    await gateway.approve(id);
    await undo(id);
    gateway.model.answer({ score: 0 });
    expect((await gateway.proxy({ ...request, idempotencyKey: 'while-it-waits' })).status).toBe(428);
    await sql(
      `UPDATE actions SET expires_at = now() WHERE target_url = (SELECT target_url FROM actions WHERE id = $1)`,
      id,
    );
    expect((await gateway.proxy(request)).status).toBe(200);
  });

  it('does not lift an earlier denial, as the approval did', async () => {
    const request = { method: 'DELETE', targetUrl: target(), intent: 'tidy up' };
    await gateway.deny((await gateway.hold(request)).action_id);
    const { action_id: id } = await gateway.hold(request);
    await gateway.approve(id);
    await undo(id);
    await expire(id);
    gateway.model.answer({ score: 0 });
    expect((await gateway.proxy(request)).status).toBe(428);
  });

  it('leaves an equal request alone that was queued meanwhile', async () => {
    const targetUrl = target();
    const { action_id: first } = await gateway.hold({ targetUrl });
    await gateway.approve(first);
    const { action_id: second } = await gateway.hold({ targetUrl });
    expect(second).not.toBe(first);
    expect(outcome(await undo(first))).toBe('PENDING');
    expect((await get(second)).status).toBe('PENDING');
    expect((await gateway.hold({ targetUrl })).action_id).toBe(second);
  });

  it('lets an equal request join the action again, also when one in between has expired', async () => {
    const targetUrl = target();
    const { action_id: first } = await gateway.hold({ targetUrl });
    await gateway.approve(first);
    await expire((await gateway.hold({ targetUrl })).action_id);
    expect(outcome(await undo(first))).toBe('PENDING');
    expect((await gateway.hold({ targetUrl })).action_id).toBe(first);
  });
});

describe('undo with several approvals', () => {
  const given = async (id: string) => (await get(id)).approvals.given.map(({ name }) => name);

  it('takes back only the own approval, while others are missing and when all were given', async () => {
    const id = await hold('two');
    await decide('ada', 'approve', id);
    expect(outcome(await undo(id))).toBe('PENDING');
    expect(await given(id)).toEqual([]);
    await decide('bo', 'approve', id);
    expect(outcome(await decide('cy', 'approve', id))).toBe('APPROVED');
    expect(outcome(await undo(id, 'bo'))).toBe('PENDING');
    expect(await given(id)).toEqual(['cy']);
    expect(await get(id)).toMatchObject({ resolved_by: null, resolution_note: null, approvalExpiresAt: null });
    expect(outcome(await decide('ada', 'approve', id))).toBe('APPROVED');
    expect(await story(id)).toEqual([
      ...['approval_given', 'undone', 'approval_given', 'approved', 'undone', 'approved'],
    ]);
    // Lists and figures count only the approvals that stand.
    const records = await gateway.audit(`&decision=any&actionId=${id}`);
    const [, undoneByBo, , , undoneByAda] = records;
    expect(records.map(({ undoneAt }) => undoneAt)).toEqual([null, null, null, undoneByBo.at, null, undoneByAda.at]);
    const standing = await gateway.audit(`&decision=approved&actionId=${id}`);
    expect(standing.map(({ actor }) => actor!.name)).toEqual(['Ada', 'cy']);
    const figures = await gateway.admin<AuditStats>(`GET /audit/stats?decision=any&actionId=${id}`);
    expect(figures).toMatchObject({ approved: 1, denied: 0 });
  });
});

describe('undo is refused', () => {
  const refused = '409 Cannot undo the approval: ';
  it.each<[string, string, () => Promise<string>]>([
    ['of an action that nobody has approved', 'you have not given one', () => hold()],
    [
      'of an approval of somebody else',
      'other people gave it',
      async () => {
        const id = await hold();
        await decide('bo', 'approve', id);
        return id;
      },
    ],
    [
      'of a denied action',
      'the action is DENIED',
      async () => {
        const id = await hold();
        await gateway.deny(id);
        return id;
      },
    ],
    [
      'of an executed action',
      'the action is EXECUTED',
      async () => {
        const id = await hold();
        await gateway.approve(id);
        await gateway.execute(id);
        return id;
      },
    ],
    [
      'when the time to decide has passed',
      'the time to decide has passed. Withdraw it to deny the request',
      async () => {
        const id = await hold();
        await gateway.approve(id);
        await expire(id);
        return id;
      },
    ],
    [
      'when the time to execute has passed',
      'the action is EXPIRED',
      async () => {
        const id = await hold();
        await gateway.approve(id);
        await sql('UPDATE actions SET approval_expires_at = now() WHERE id = $1', id);
        return id;
      },
    ],
  ])('%s, and changes nothing', async (_when, reason, prepare) => {
    const id = await prepare();
    const before = await get(id);
    expect(outcome(await undo(id))).toBe(refused + reason);
    expect(await get(id)).toEqual(before);
    expect(await story(id)).not.toContain('undone');
  });

  it('while the agent executes the action, and the execution continues', async () => {
    const id = await hold();
    await gateway.approve(id);
    let onArrival = (): void => {};
    const arrived = new Promise<void>((resolve) => (onArrival = resolve));
    let answer = (): void => {};
    const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
    gateway.upstream.answer((_call, response) => {
      onArrival();
      void mayAnswer.then(() => response.end('{}'));
    });
    const execution = gateway.execute(id);
    await arrived;
    expect(outcome(await undo(id))).toBe(`${refused}the action is APPROVED (execution in progress)`);
    answer();
    expect((await execution).status).toBe(200);
    expect((await get(id)).status).toBe('EXECUTED');
  });

  it('for a person whose role was taken away, and in another workspace', async () => {
    const id = await hold();
    await decide('cy', 'approve', id);
    const setRole = (role: string) =>
      people.as('ada', `PUT /workspaces/${people.workspaceId}/members/${people.findId('cy')}`, { role });
    await setRole('auditor');
    expect((await undo(id, 'cy')).status).toBe(403);
    await setRole('approver');
    expect(outcome(await undo(id, 'cy'))).toBe('PENDING');
    expect((await undo('0b9e4c0e-8f0e-4b8e-9d9b-0c4e8a1f6a57')).status).toBe(404);
  });
});

describe('an agent that waits', () => {
  it('is not woken by an approval that was taken back, and gets the next decision', async () => {
    const id = await hold();
    await gateway.approve(id);
    await undo(id);
    const waiting = gateway.status(id, { Prefer: 'wait=60' });
    await gateway.approve(id);
    const woken: { status: string } = (await waiting).json();
    expect(woken.status).toBe('APPROVED');
  });

  it('gets the 428 when the approval is taken back before its call executes the action', async () => {
    const held = new Promise<string>((resolve) => {
      const look = async (): Promise<void> => {
        const { items } = await gateway.admin<{ items: Action[] }>('GET /approvals?q=taken-back');
        if (items.length > 0) resolve(items[0].action_id);
        else setImmediate(() => void look());
      };
      void look();
    });
    gateway.model.answer({ score: 0.9 });
    const request = { method: 'DELETE', targetUrl: target('taken-back'), intent: 'tidy up', idempotencyKey: 'waits' };
    const answer: Promise<ProxyAnswer> = gateway.proxy(request, { Prefer: 'wait=5' });
    const id = await held;
    await Promise.all([gateway.approve(id), undoSoon(id)]);
    const { status, ...rest } = await answer;
    const { status: now } = await get(id);
    if (now === 'EXECUTED') expect(status).toBe(200);
    else expect([status, rest.json<HeldResponse>().action_id, now]).toEqual([428, id, 'PENDING']);
    expect(gateway.upstream.calls).toHaveLength(now === 'EXECUTED' ? 1 : 0);
  });
});

/** Tries while the action is not approved yet, so that it hits the moment right after the approval. */
async function undoSoon(id: string, app = gateway.app): Promise<Decided> {
  for (let attempt = 0; ; attempt++) {
    const answer = await undo(id, 'ada', app);
    if (attempt === 50 || !answer.body.error?.endsWith('you have not given one')) return answer;
  }
}

describe('races', () => {
  const AT_ONCE = 10;
  /** Runs both at once on two instances, in both orders. @returns how each ended */
  async function race(
    rounds: number,
    path: string,
    both: ((id: string) => Promise<boolean>)[],
  ): Promise<{ id: string; won: boolean[] }[]> {
    const ends: { id: string; won: boolean[] }[] = [];
    for (let round = 0; round < rounds; round++) {
      const started = await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          const id = await hold(path);
          await gateway.approve(id);
          return { id, index };
        }),
      );
      ends.push(
        ...(await Promise.all(
          started.map(async ({ id, index }) => {
            const order = index % 2 === 0 ? both : [...both].reverse();
            const won = await Promise.all(order.map((one) => one(id)));
            return { id, won: index % 2 === 0 ? won : won.reverse() };
          }),
        )),
      );
    }
    return ends;
  }
  const undoes = async (id: string) => (await undo(id)).status === 200;

  it('undo or the execution: exactly one wins, and an executed action never waits', async () => {
    const executes = async (id: string) => (await other.execute(id)).status === 200;
    const ends = await race(10, 'undone', [undoes, executes]);
    for (const { id, won } of ends) {
      const { status, result } = await get(id);
      expect([won, status, result === null]).toEqual(
        won[0] ? [[true, false], 'PENDING', true] : [[false, true], 'EXECUTED', false],
      );
    }
    expect(gateway.upstream.calls).toHaveLength(ends.filter(({ won }) => won[1]).length);
    expect(new Set(ends.map(({ won }) => won[0])).size).toBe(2);
  });

  it('two undos: one wins', async () => {
    const second = async (id: string) => (await undo(id, 'ada', other.app)).status === 200;
    const ends = await race(3, 'undone', [undoes, second]);
    for (const { id, won } of ends) {
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await story(id)).toEqual(['approved', 'undone']);
    }
  });

  it('undo or withdraw: one wins', async () => {
    const withdraws = async (id: string) => (await decide('bo', 'withdraw', id, other.app)).status === 200;
    const ends = await race(3, 'undone', [undoes, withdraws]);
    for (const { id, won } of ends) {
      expect(won.filter(Boolean)).toHaveLength(1);
      expect([(await get(id)).status, await story(id)]).toEqual(
        won[0] ? ['PENDING', ['approved', 'undone']] : ['DENIED', ['approved', 'withdrawn']],
      );
    }
  });

  it("undo and a second person's approval: both count, and the first approval does not", async () => {
    const second = async (id: string) => (await decide('bo', 'approve', id, other.app)).status === 200;
    const ends = await race(3, 'two', [undoes, second]);
    for (const { id, won } of ends) {
      expect(won).toEqual([true, true]);
      const { status, approvals } = await get(id);
      expect([status, approvals.given.map(({ name }) => name)]).toEqual(['PENDING', ['bo']]);
    }
  });

  it('undo and an equal request: both wait, as two actions', async () => {
    const ids: [string, string][] = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const targetUrl = target();
        const { action_id: id } = await gateway.hold({ targetUrl });
        await gateway.approve(id);
        const [undone, { action_id: again }] = await Promise.all([undo(id), other.hold({ targetUrl })]);
        expect(outcome(undone)).toBe('PENDING');
        return [id, again] as [string, string];
      }),
    );
    for (const [id, again] of ids)
      expect([(await get(id)).status, (await get(again)).status]).toEqual(['PENDING', 'PENDING']);
  });
});
