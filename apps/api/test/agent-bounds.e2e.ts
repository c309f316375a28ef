/** Limits per agent: open actions, and responses stored for idempotency keys. */
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

const MIB = 1024 * 1024;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ AGENT_MAX_PENDING: '3', AGENT_MAX_STORED_MB: '4', AGENT_MAX_HELD_MB: '2' });
});
afterAll(() => gateway.close());

const refusal = (answer: ProxyAnswer): unknown[] => [
  answer.status,
  answer.headers.get('x-error-code'),
  answer.headers.get('retry-after'),
  answer.headers.get('x-proxy-status'),
];

it('an agent has at most AGENT_MAX_PENDING open actions; another one is refused until one is closed', async () => {
  const ask = (n: number, idempotencyKey?: string): Promise<ProxyAnswer> =>
    gateway.proxy({ method: 'DELETE', targetUrl: `${gateway.upstream.url}/v1/customers/${n}`, idempotencyKey });
  gateway.model.answer({ score: 1 });
  const [first] = [await ask(1), await ask(2), await ask(3)].map((answer) => answer.json<{ action_id: string }>());
  await gateway.approve(first.action_id);
  expect(refusal(await ask(4, 'a-key'))).toEqual([429, 'too_many_pending', '60', null]);
  expect(await gateway.audit('&outcome=refused')).toMatchObject([{ status: 429 }]);
  // A repeat of a pending request still gets its action.
  expect((await ask(2)).status).toBe(428);
  // The limit is per agent.
  const { apiKey } = await gateway.createAgent('other', [gateway.service.id]);
  expect((await gateway.proxy({ method: 'DELETE' }, { 'Agent-Key': apiKey })).status).toBe(428);
  await gateway.execute(first.action_id);
  // The refusal did not consume the key.
  expect((await ask(4, 'a-key')).status).toBe(428);
});

it('an agent stores at most AGENT_MAX_STORED_MB of responses; above that, stored keys are still answered and new ones are refused', async () => {
  const { apiKey } = await gateway.createAgent('collector', [gateway.service.id]);
  gateway.model.answer({ score: 0 });
  gateway.upstream.answer((_call, response) => response.end('x'.repeat(MIB)));
  let key = 0;
  const post = (idempotencyKey: string): Promise<ProxyAnswer> =>
    gateway.proxy({ method: 'POST', body: '{}', idempotencyKey }, { 'Agent-Key': apiKey });
  const refused = await eventually(async () => {
    const answer = await post(`key-${++key}`);
    return answer.status !== 200 && answer;
  });
  expect(refusal(refused)).toEqual([429, 'too_much_stored', '60', null]);
  expect(key).toBeGreaterThan(4);
  const calls = gateway.upstream.calls.length;
  expect((await post('key-1')).text).toHaveLength(MIB);
  expect(gateway.upstream.calls).toHaveLength(calls);
  expect((await gateway.proxy({}, { 'Agent-Key': apiKey })).status).toBe(200);
  expect((await gateway.proxy({ method: 'POST', body: '{}', idempotencyKey: 'other' })).status).toBe(200);
});

it('the requests in the open actions of an agent take at most AGENT_MAX_HELD_MB, also when two instances hold them at once', async () => {
  const second = await gateway.secondInstance({ AGENT_MAX_PENDING: '1000', AGENT_MAX_HELD_MB: '2' });
  try {
    const third = await gateway.secondInstance({ AGENT_MAX_PENDING: '1000', AGENT_MAX_HELD_MB: '2' });
    const { apiKey } = await gateway.createAgent('holder', [gateway.service.id]);
    gateway.model.answer({ score: 1 });
    const body = 'x'.repeat(0.6 * MIB);
    let key = 0;
    const hold = (door: Gateway, size = body): Promise<ProxyAnswer> =>
      door.proxy({ method: 'POST', body: size, idempotencyKey: `hold-${++key}` }, { 'Agent-Key': apiKey });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => hold(n % 2 === 0 ? second : third)));
    const held = answers.filter(({ status }) => status === 428);
    expect(held).toHaveLength(3);
    expect(refusal(answers.find(({ status }) => status !== 428)!)).toEqual([429, 'too_much_held', '60', null]);
    const [{ bytes }] = await gateway.app.database.query<{ bytes: string }[]>(
      `SELECT sum(octet_length(body) + octet_length(headers::text)) AS bytes FROM actions WHERE agent_name = 'holder'`,
    );
    await third.app.close();
    expect(Number(bytes)).toBeLessThanOrEqual(2 * MIB);
    // A small one still fits.
    expect((await hold(second, '{}')).status).toBe(428);
    // A closed action gives its space back.
    await gateway.approve(held[0].json<{ action_id: string }>().action_id);
    await gateway.execute(held[0].json<{ action_id: string }>().action_id, { 'Agent-Key': apiKey });
    expect((await hold(second)).status).toBe(428);
  } finally {
    await second.app.close();
  }
});

it('the agents of one workspace hold at most four times as much together', async () => {
  const second = await gateway.secondInstance({ AGENT_MAX_PENDING: '1000', AGENT_MAX_HELD_MB: '1' });
  try {
    gateway.model.answer({ score: 1 });
    const statuses: unknown[] = [];
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) {
      const { apiKey } = await gateway.createAgent(`holder ${name}`, [gateway.service.id]);
      const answer = await second.proxy(
        { method: 'POST', body: 'x'.repeat(0.9 * MIB), idempotencyKey: name },
        { 'Agent-Key': apiKey },
      );
      statuses.push(answer.status === 428 ? 428 : answer.json());
    }
    expect(statuses.at(-1)).toMatchObject({
      error: 'The open actions of this workspace take too much space: at most 4 MB. Nothing was queued',
    });
  } finally {
    await second.app.close();
  }
});

it('a waiting request counts its body once towards the memory limit, and twice if the body has characters beyond Latin-1', async () => {
  const second = await gateway.secondInstance({ AGENT_MAX_BUFFERED_MB: '16' });
  try {
    const { apiKey } = await gateway.createAgent('waiter', [gateway.service.id]);
    gateway.model.answer({ score: 1 });
    const put = (path: string, body: string): Promise<ProxyAnswer> =>
      second.agentCall('PUT', `/s/Shop;wait=60/${path}`, body, { 'Agent-Key': apiKey, 'X-Intent': 'wait' });
    const waiting = (path: string): Promise<string> =>
      eventually(async () => {
        const [found] = await gateway.app.database.query<{ id: string }[]>(
          `SELECT id FROM actions WHERE target_url LIKE $1 AND last_polled_at IS NOT NULL`,
          [`%/${path}`],
        );
        return found?.id;
      });
    const ask = async (name: string, body: string) => {
      const first = put(`${name}-1`, body);
      const ids = [await waiting(`${name}-1`)];
      const second = put(`${name}-2`, body);
      const isRefused = await Promise.race([second.then(() => true), waiting(`${name}-2`).then((id) => !ids.push(id))]);
      for (const id of ids) await gateway.deny(id);
      await first;
      return isRefused ? refusal(await second) : 'both wait';
    };
    // Together below the limit. Neither is read again while it waits.
    expect(await ask('ascii', 'x'.repeat(6 * MIB))).toBe('both wait');
    expect(await ask('wide', '中'.padEnd(5 * MIB))).toEqual([429, 'too_much_buffered', '2', null]);
  } finally {
    await second.app.close();
  }
});
