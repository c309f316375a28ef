/** Decisions and changes on two instances, in many rounds. */
import type { Service } from '#contracts';
import { ApprovalQueue } from '../src/approvals/approval-queue.js';
import type { Answer } from './support/accounts.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { countByStatus } from './support/count-by-status.js';

const ROUNDS = 50;

/** Two instances on one database, each with its own caches and its own clock. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  a = await startGateway();
  b = await a.secondInstance();
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});
beforeEach(() => {
  a.upstream.calls.length = 0;
  a.upstream.answer((_call, response) => response.end('{}'));
  a.model.answer({ score: 0 });
});

let serial = 0;
const target = (path: string): string => `${a.upstream.url}/v1${path}`;

describe('a race of approve, deny and expire', () => {
  type Decision = { approval: Answer<{ error: string }>; denial: Answer<{ error: string }> };

  /** The approval and the denial alternate in starting first. */
  async function both(id: string, turn: number): Promise<Decision> {
    const decide = (verb: string) => b.tryAdmin(`PATCH /approvals/${id}/${verb}`, {});
    if (turn % 2 === 0) {
      const [approval, denial] = await Promise.all([decide('approve'), decide('deny')]);
      return { approval, denial };
    }
    const [denial, approval] = await Promise.all([decide('deny'), decide('approve')]);
    return { approval, denial };
  }

  /** Of each three actions, one has expired, one expires in a moment, and one has plenty of time. */
  const endSoon = (ids: string[]) =>
    a.app.database.query(
      `UPDATE actions a SET expires_at = clock_timestamp() + (ARRAY['0', '5 ms', '1 h'])[1 + n % 3]::interval
       FROM unnest($1::uuid[]) WITH ORDINALITY AS given(id, n) WHERE a.id = given.id`,
      [ids],
    );

  it('has exactly one winner in each of 200 rounds, and the stored status is the winner’s', async () => {
    // The actions expire at some moment between the decisions.
    const queue = a.app.app.get(ApprovalQueue);
    const winners = { APPROVED: 0, DENIED: 0, EXPIRED: 0 };
    const perRound = 20;
    for (let round = 0; round < 200 / perRound; round++) {
      const ids = await Promise.all(
        Array.from({ length: perRound }, () => b.hold({ targetUrl: target(`/race/${++serial}`) })),
      ).then((held) => held.map(({ action_id }) => action_id));
      await endSoon(ids);
      const decisions = ids.map((id, index) => both(id, index));
      // In every second round the job starts after the first decision, while others are in progress.
      if (round % 2 === 1) await Promise.race(decisions);
      await queue.expire();
      const answers = await Promise.all(decisions);
      await queue.expire();

      for (const [index, id] of ids.entries()) {
        const { approval, denial } = answers[index];
        const [{ status }] = await a.app.database.query<{ status: keyof typeof winners }[]>(
          'SELECT status FROM actions WHERE id = $1',
          [id],
        );
        winners[status]++;
        expect([approval.status, denial.status]).toEqual([
          status === 'APPROVED' ? 200 : 409,
          status === 'DENIED' ? 200 : 409,
        ]);
        for (const loser of [approval, denial].filter((answer) => answer.status === 409)) {
          expect(loser.body.error).toBe(`Action is already ${status}`);
        }
      }
    }
    expect(winners.APPROVED + winners.DENIED + winners.EXPIRED).toBe(200);
    expect(Math.min(...Object.values(winners))).toBeGreaterThan(0);
  });
});

describe('a change on one instance applies to the very next request on the other, whose cache is warm', () => {
  let other: Service;
  beforeAll(async () => {
    other = await a.createService({ name: 'Other', baseUrl: `${a.upstream.url}/other` });
  });

  const ask = () => b.proxy();
  const warm = async (): Promise<void> => expect((await ask()).status).toBe(200);
  const refusedNow = async (status: number, error: string): Promise<void> => {
    a.upstream.calls.length = 0;
    const answer = await ask();
    expect([answer.status, answer.json().error]).toEqual([status, error]);
    expect(a.upstream.calls).toHaveLength(0);
  };
  const agent = () => `/agents/${a.agent.id}`;
  const service = () => `/services/${a.service.id}`;
  const NO_SERVICE = 'No service found matching target URL or agent does not have access';

  const cases: [string, (round: number) => Promise<void>][] = [
    [
      'a revoked agent',
      async () => {
        await a.admin(`PUT ${agent()}`, { isActive: false });
        await refusedNow(401, 'Agent key has been revoked');
        await a.admin(`PUT ${agent()}`, { isActive: true });
      },
    ],
    [
      'a rotated key',
      async () => {
        const { apiKey } = await a.admin<{ apiKey: string }>(`POST ${agent()}/rotate-key`);
        await refusedNow(401, 'Invalid Agent-Key');
        a.agentKey = b.agentKey = apiKey;
      },
    ],
    [
      'a service out of scope',
      async () => {
        await a.admin(`PUT ${agent()}/services`, { serviceIds: [other.id] });
        await refusedNow(404, NO_SERVICE);
        await a.admin(`PUT ${agent()}/services`, { serviceIds: [a.service.id] });
      },
    ],
    [
      'replaced credentials',
      async (round) => {
        await a.admin(`POST ${service()}/credentials`, { credentials: { token: `token-of-round-${round}` } });
        await warm();
        expect(a.upstream.calls.at(-1)!.headers.authorization).toBe(`Bearer token-of-round-${round}`);
      },
    ],
    [
      'a changed baseUrl',
      async () => {
        await a.admin(`PUT ${service()}`, { baseUrl: `${a.upstream.url}/v2` });
        await refusedNow(404, NO_SERVICE);
        await a.admin(`PUT ${service()}`, { baseUrl: `${a.upstream.url}/v1` });
      },
    ],
    [
      'a rule that denies',
      async () => {
        const rule = await a.admin<{ id: number }>(`POST ${service()}/risk-rules`, { name: 'closed', effect: 'deny' });
        await refusedNow(403, 'Denied by risk rule "closed"');
        await a.admin(`DELETE ${service()}/risk-rules/${rule.id}`);
      },
    ],
  ];

  it.each(cases)(`%s, in each of ${ROUNDS} rounds`, async (_name, change) => {
    for (let round = 0; round < ROUNDS; round++) {
      await warm();
      await change(round);
    }
    await warm();
  });

  it('requests during a change end by the old or the new configuration, never in between', async () => {
    for (let round = 0; round < 10; round++) {
      await warm();
      a.upstream.calls.length = 0;
      const requests = Array.from({ length: 20 }, (_, i) => (i % 2 ? a : b).proxy());
      const change = a.admin(`PUT ${agent()}`, { isActive: false });
      const statuses = countByStatus(await Promise.all(requests));
      await change;
      expect((statuses[200] ?? 0) + (statuses[401] ?? 0)).toBe(20);
      expect(a.upstream.calls).toHaveLength(statuses[200] ?? 0);
      await refusedNow(401, 'Agent key has been revoked');
      await a.admin(`PUT ${agent()}`, { isActive: true });
    }
  });
});
