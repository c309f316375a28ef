import type { Action, HeldResponse } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';
import { countByStatus } from './support/count-by-status.js';

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

async function heldByKey(): Promise<string> {
  const fields = { method: 'POST', body: '{}', idempotencyKey: `held-${++serial}`, targetUrl: target('/orders') };
  return (await a.hold(fields)).action_id;
}

describe('executing', () => {
  it.each([
    ['on one instance', () => [a]],
    ['on two instances', () => [a, b]],
  ])('20 times in parallel %s makes one upstream call', async (_name, instances) => {
    for (let round = 0; round < 5; round++) {
      a.upstream.calls.length = 0;
      const id = await heldByKey();
      await a.approve(id);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => instances()[i % instances().length].execute(id)),
      );
      expect(countByStatus(answers)).toEqual({ 200: 1, 409: 19 });
      for (const answer of answers.filter(({ status }) => status === 409)) {
        expect(answer.json().error).toMatch(
          /^Cannot execute action with status (EXECUTED|APPROVED \(execution in progress\))$/,
        );
      }
      expect(a.upstream.calls).toHaveLength(1);
      expect((await a.status(id)).json()).toMatchObject({ status: 'EXECUTED', result: { status: 200 } });
    }
  });

  it('in parallel with a denial, an approval and the end of the window never sends an unapproved request', async () => {
    for (let round = 0; round < 20; round++) {
      a.upstream.calls.length = 0;
      const id = await heldByKey();
      const [executed, denied] = await Promise.all([
        a.execute(id),
        a.tryAdmin(`PATCH /approvals/${id}/deny`, {}),
        b.tryAdmin(`PATCH /approvals/${id}/approve`, {}),
      ]);
      const { status } = await a.admin<Action>(`GET /approvals/${id}`);
      expect(a.upstream.calls).toHaveLength(executed.status === 200 ? 1 : 0);
      if (denied.status === 200) expect([executed.status, status]).toEqual([409, 'DENIED']);
      else expect(['APPROVED', 'EXECUTED']).toContain(status);
    }
  });
});

describe('one idempotency key on two instances', () => {
  const post = (gateway: Gateway, key: string) =>
    gateway.proxy({ method: 'POST', targetUrl: target('/keyed'), body: '{}', idempotencyKey: key });

  it('50 parallel requests make one upstream call, and get one answer', async () => {
    for (let round = 0; round < 5; round++) {
      a.upstream.calls.length = 0;
      const key = `race-${++serial}`;
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => post(i % 2 ? a : b, key)));
      const counts = countByStatus(answers);
      expect(counts[200]).toBeGreaterThanOrEqual(1);
      expect((counts[200] ?? 0) + (counts[409] ?? 0)).toBe(50);
      expect(a.upstream.calls).toHaveLength(1);
      expect((await post(b, key)).status).toBe(200);
      expect(a.upstream.calls).toHaveLength(1);
    }
  });

  it('50 parallel risky requests create one action', async () => {
    a.model.answer({ score: 1 });
    const key = `risky-${++serial}`;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => post(i % 2 ? a : b, key)));
    const held = answers.filter(({ status }) => status === 428).map((answer) => answer.json<HeldResponse>().action_id);
    expect(new Set(held).size).toBe(1);
    expect(held.length + (countByStatus(answers)[409] ?? 0)).toBe(50);
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('lets one of different requests win; the others get 422 or 409', async () => {
    const key = `mixed-${++serial}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? a : b).proxy({
          method: 'POST',
          targetUrl: target('/keyed'),
          body: `{"n":${i}}`,
          idempotencyKey: key,
        }),
      ),
    );
    const counts = countByStatus(answers);
    expect(counts[200]).toBe(1);
    expect((counts[422] ?? 0) + (counts[409] ?? 0)).toBe(19);
    expect(a.upstream.calls).toHaveLength(1);
  });
});

describe('identical requests without a key on two instances', () => {
  it('become one action that counts all of them', async () => {
    const path = `/identical/${++serial}`;
    const held = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? a : b).hold({ targetUrl: target(path) })),
    );
    expect(new Set(held.map(({ action_id }) => action_id)).size).toBe(1);
    expect((await a.admin<Action>(`GET /approvals/${held[0].action_id}`)).times_asked).toBe(20);
  });
});
