import type { Action } from '#contracts';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
});

let serial = 0;
const hold = () => gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/withdrawn/${++serial}` });
const withdraw = (id: string, note?: string) =>
  gateway.tryAdmin<Action & { error: string }>(`PATCH /approvals/${id}/withdraw`, { note });

describe('PATCH /approvals/:actionId/withdraw', () => {
  it('turns an approval into a denial with a note, and nothing can be executed afterwards', async () => {
    const { action_id: id } = await hold();
    await gateway.approve(id, 'fine');
    const { status, body } = await withdraw(id, 'wrong customer');
    expect([status, body.status, body.resolution_note]).toEqual([200, 'DENIED', 'wrong customer']);
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'DENIED', resolution_note: 'wrong customer' });
    const execution = await gateway.execute(id);
    expect([execution.status, execution.json().error]).toEqual([409, 'Cannot execute action with status DENIED']);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('is recorded with the person, the note, and the headline of the request', async () => {
    const { action_id: id } = await hold();
    await gateway.approve(id);
    await withdraw(id, 'too early');
    const [record] = await gateway.audit('&kind=change');
    expect(record).toMatchObject({ reason: 'action.withdrawn', actionId: id, actor: { name: 'Ada' } });
    expect(record.details).toMatchObject({ note: 'too early' });
    expect(record.summary).toMatch(/^DELETE /);
  });

  it.each([
    ['PENDING', async () => (await hold()).action_id],
    [
      'DENIED',
      async () => {
        const { action_id } = await hold();
        await gateway.deny(action_id);
        return action_id;
      },
    ],
    [
      'EXECUTED',
      async () => {
        const { action_id } = await hold();
        await gateway.approve(action_id);
        await gateway.execute(action_id);
        return action_id;
      },
    ],
  ])('refuses an action that is %s with 409, and changes nothing', async (was, prepare) => {
    const id = await prepare();
    const { status, body } = await withdraw(id);
    expect([status, body.error]).toEqual([409, `Cannot withdraw action with status ${was}`]);
    expect((await gateway.admin<Action>(`GET /approvals/${id}`)).status).toBe(was);
  });

  it('is refused while the agent executes the action, and the execution continues', async () => {
    const { action_id: id } = await hold();
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
    const { status, body } = await withdraw(id);
    answer();
    expect([status, body.error]).toEqual([409, 'Cannot withdraw action with status APPROVED (execution in progress)']);
    expect((await execution).status).toBe(200);
    expect((await gateway.admin<Action>(`GET /approvals/${id}`)).status).toBe('EXECUTED');
  });

  it('races with the execution: exactly one of the two wins in each of 100 rounds', async () => {
    gateway.upstream.answer((_call, response) => response.end('{}'));
    for (let round = 0; round < 10; round++) {
      const ids = await Promise.all(Array.from({ length: 10 }, hold)).then((held) => held.map((h) => h.action_id));
      await Promise.all(ids.map((id) => gateway.approve(id)));
      gateway.upstream.calls.length = 0;
      const ends = await Promise.all(
        ids.map(async (id, index) => {
          const both = [() => gateway.execute(id), () => withdraw(id)];
          if (index % 2 === 0) both.reverse();
          const answers = await Promise.all(both.map((one) => one()));
          return answers.filter(({ status }) => status === 200).length;
        }),
      );
      expect(ends).toEqual(Array.from({ length: 10 }, () => 1));
      const actions = await Promise.all(ids.map((id) => gateway.admin<Action>(`GET /approvals/${id}`)));
      const executed = actions.filter(({ status }) => status === 'EXECUTED').length;
      expect(gateway.upstream.calls).toHaveLength(executed);
    }
  });
});
