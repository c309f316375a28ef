import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Action, DryRunResponse, HeldResponse } from '#contracts';
import { McpAgent } from './support/mcp-client.js';
import { startGateway, type Gateway, type ProxyAnswer } from './support/gateway.js';

/** Two instances: a denial by a person applies on both. */
let a: Gateway;
let b: Gateway;
beforeAll(async () => {
  a = await startGateway({ RISK_CACHE_SECONDS: '60' });
  b = await a.secondInstance({ RISK_CACHE_SECONDS: '60' });
});
afterAll(async () => {
  await b.app.close();
  await a.close();
});
beforeEach(() => {
  a.upstream.calls.length = 0;
});

let serial = 0;
const target = (): string => `${a.upstream.url}/v1/denied/${++serial}`;
interface Asked {
  targetUrl: string;
  method?: string;
  intent?: string;
  idempotencyKey?: string;
  headers?: Record<string, string>;
  body?: string | null;
}
const ask = (gateway: Gateway, asked: Asked, headers?: Record<string, string>): Promise<ProxyAnswer> =>
  gateway.proxy({ method: 'DELETE', intent: 'tidy up', ...asked }, headers);

/**
 * Sends a request that the model scores as risky, and has a person deny it. After that the model scores it as harmless.
 */
async function denied(asked: Asked): Promise<string> {
  a.model.answer({ score: 1 });
  const { action_id: id } = (await ask(a, asked)).json<HeldResponse>();
  await a.deny(id, 'not this one');
  a.model.answer({ score: 0 });
  return id;
}

const item = (id: string) => a.admin<Action>(`GET /approvals/${id}`);
const readStatus = async (answer: Promise<ProxyAnswer>): Promise<number> => (await answer).status;

describe('a request that equals a denied one', () => {
  it.each([
    ['with another intent', { intent: 'a harmless look, really' }],
    ['under an idempotency key', { idempotencyKey: 'again' }],
    ['with another header', { headers: { 'X-A': '2', traceparent: '00-1', 'X-Stainless-Retry-Count': '3' } }],
    ['with its headers in another order', { headers: { 'X-B': '2', 'X-A': '1' } }],
  ])('is held whatever its score, %s, on every instance', async (_how, change: Partial<Asked>) => {
    const asked = { targetUrl: target(), headers: { 'X-A': '1', 'X-B': '2' } };
    const first = await denied(asked);
    const again = await ask(b, { ...asked, ...change });
    expect(again.status).toBe(428);
    const { action_id: id, risk_explanation } = again.json<HeldResponse>();
    expect(id).not.toBe(first);
    expect(risk_explanation).toMatch(/^Ada denied the same request before, so a person must decide again\./);
    expect((await item(id)).repeats).toEqual({
      action_id: first,
      status: 'DENIED',
      resolved_by: { id: expect.any(Number) as number, name: 'Ada' },
      resolved_at: (await item(first)).resolved_at,
    });
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('is held although its verdict is cached and the gateway writes its record with its key', async () => {
    const asked = { targetUrl: target(), method: 'POST' };
    a.model.answer({ score: 0 });
    // Both instances have the verdict in their caches.
    for (const gateway of [a, b]) {
      expect(await readStatus(ask(gateway, { ...asked, idempotencyKey: `first-${gateway.url}` }))).toBe(200);
    }
    const rule = await a.admin<{ id: number }>(`POST /services/${a.service.id}/risk-rules`, {
      name: 'ask',
      effect: 'require_approval',
    });
    const held = await ask(a, { ...asked, idempotencyKey: 'second' });
    await a.deny(held.json<HeldResponse>().action_id);
    await a.admin(`DELETE /services/${a.service.id}/risk-rules/${rule.id}`);
    a.upstream.calls.length = 0;
    expect(await readStatus(ask(b, { ...asked, idempotencyKey: 'third' }))).toBe(428);
    expect(await readStatus(ask(b, { ...asked, idempotencyKey: 'third' }))).toBe(428);
    expect(a.upstream.calls).toHaveLength(0);
  });

  it.each([
    ['no body', null, 'an empty one', ''],
    ['an empty body', '', 'none', null],
  ])('is held when it was denied with %s and repeated with %s', async (_one, before, _other, after) => {
    const asked = { targetUrl: target(), method: 'POST' };
    await denied({ ...asked, body: before, idempotencyKey: `before-${serial}` });
    expect(await readStatus(ask(b, { ...asked, body: after, idempotencyKey: `after-${serial}` }))).toBe(428);
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('is held for its own service only, also where another service has the same base URL', async () => {
    const twin = await a.createService({ name: 'Twin' });
    const { apiKey } = await a.createAgent('twins', [a.service.id, twin.id]);
    const path = `/denied/${++serial}`;
    const remove = (service: string, intent = 'first') =>
      b.agentCall('DELETE', `/s/${service};idempotency=none${path}`, undefined, {
        'Agent-Key': apiKey,
        'X-Intent': intent,
      });
    a.model.answer({ score: 1 });
    const { action_id: first } = (await remove('Shop')).json<HeldResponse>();
    const { action_id: second } = (await remove('Twin')).json<HeldResponse>();
    const services = await Promise.all([first, second].map(async (id) => (await item(id)).service.id));
    expect(services).toEqual([a.service.id, twin.id]);
    await a.deny(first);
    await a.app.database.query('DELETE FROM actions WHERE id = $1', [second]);
    a.model.answer({ score: 0 });
    // In other words, because the verdict on the first ones is known.
    expect(await readStatus(remove('Shop', 'again'))).toBe(428);
    expect(a.upstream.calls).toHaveLength(0);
    expect(await readStatus(remove('Twin', 'again'))).toBe(200);
  });

  it('is held below a base URL too, under a key of its own', async () => {
    const path = `/denied/${++serial}`;
    a.model.answer({ score: 1 });
    const remove = (key: string) => b.agentCall('DELETE', `/s/Shop${path}`, undefined, { 'Idempotency-Key': key });
    const { action_id: id } = (await remove(`one-${serial}`)).json<HeldResponse>();
    await a.deny(id);
    a.model.answer({ score: 0 });
    expect(await readStatus(remove(`two-${serial}`))).toBe(428);
    expect(await readStatus(ask(b, { targetUrl: `${a.service.baseUrl}${path}/` }))).toBe(428);
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('is held at every door and with every coding of its body', async () => {
    const path = `/denied/${++serial}`;
    const targetUrl = `${a.service.baseUrl}${path}`;
    const body = 'to=evil&amount=1000000';
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await denied({ targetUrl, method: 'PUT', body, headers });
    expect(await readStatus(ask(b, { targetUrl, method: 'PUT', body, headers }, { Prefer: 'wait=1' }))).toBe(428);
    for (const [coding, bytes] of [
      ['gzip', gzipSync(body)],
      ['deflate', deflateSync(body)],
      ['br', brotliCompressSync(body)],
      ['identity', Buffer.from(body)],
    ] as const) {
      const below = await fetch(`${b.url}/s/Shop${path}`, {
        method: 'PUT',
        headers: { ...headers, 'Content-Encoding': coding, 'Agent-Key': a.agentKey, 'X-Intent': 'again' },
        body: bytes,
      });
      expect([coding, below.status]).toEqual([coding, 428]);
    }
    const agent = await McpAgent.connect(b.url, { 'Agent-Key': a.agentKey });
    const given = { method: 'PUT', targetUrl, body, headers, intent: 'again', waitSeconds: 0 };
    const { structuredContent } = await agent.call('request', given).finally(() => agent.close());
    expect(structuredContent).toMatchObject({ status: 'PENDING_APPROVAL', executed: false });
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('is held although its first approval came before the denial, until it is approved again', async () => {
    const asked = { targetUrl: target() };
    a.model.answer({ score: 1 });
    const ids = [];
    for (const idempotencyKey of [`older-${serial}`, `newer-${serial}`]) {
      ids.push((await ask(a, { ...asked, idempotencyKey })).json<HeldResponse>().action_id);
    }
    await a.approve(ids[0]);
    await a.deny(ids[1]);
    a.model.answer({ score: 0 });
    expect(await readStatus(ask(b, asked))).toBe(428);
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('is held although an earlier version denied it', async () => {
    const asked = { targetUrl: target(), method: 'POST', body: '{"a":1,"b":2}', idempotencyKey: `old-${++serial}` };
    const id = await denied(asked);
    await a.app.database.query('UPDATE actions SET target_hash = NULL, denial_hashes = NULL WHERE id = $1', [id]);
    const updated = await a.secondInstance();
    try {
      const again = { ...asked, body: '{ "b": 2, "a": 1 }', idempotencyKey: `new-${serial}` };
      expect(await readStatus(ask(updated, again))).toBe(428);
      expect(a.upstream.calls).toHaveLength(0);
    } finally {
      await updated.app.close();
    }
  });

  it('is held after a withdrawn approval too', async () => {
    const asked = { targetUrl: target() };
    a.model.answer({ score: 1 });
    const { action_id: id } = (await ask(a, asked)).json<HeldResponse>();
    await a.approve(id);
    await a.admin(`PATCH /approvals/${id}/withdraw`, {});
    a.model.answer({ score: 0 });
    expect(await readStatus(ask(b, asked))).toBe(428);
  });

  it('is reported as held in a dry run, which queues nothing', async () => {
    const asked = { targetUrl: target() };
    await denied(asked);
    const preview = (await ask(b, asked, { Prefer: 'handling=dry-run' })).json<DryRunResponse>();
    expect([preview.decision, preview.executed]).toEqual(['hold', false]);
    expect(preview.risk_explanation).toMatch(/^Ada denied the same request/);
  });

  it.each([
    [
      'the agent differs',
      async () => ({ headers: { 'Agent-Key': (await a.createAgent('other', [a.service.id])).apiKey } }),
    ],
    ['the URL differs', () => Promise.resolve({ change: { targetUrl: target() } })],
  ])('counts as a new request when %s', async (_what, differ) => {
    const asked = { targetUrl: target(), headers: { 'X-A': '1' } };
    await denied(asked);
    const { headers, change }: { headers?: Record<string, string>; change?: Partial<Asked> } = await differ();
    expect(await readStatus(ask(b, { ...asked, ...change }, headers))).toBe(200);
  });

  it('is forwarded after a later approval', async () => {
    const asked = { targetUrl: target() };
    await denied(asked);
    const { action_id: id } = (await ask(a, asked)).json<HeldResponse>();
    await a.approve(id);
    expect((await a.execute(id)).status).toBe(200);
    expect(await readStatus(ask(b, asked))).toBe(200);
  });

  it('is held in another spelling of its path, and an approval of one spelling does not lift the denial for another', async () => {
    const targetUrl = `${a.service.baseUrl}/denied/Item-${++serial}`;
    const spelled = `${a.service.baseUrl}/denied/item-${serial};v=1`;
    await denied({ targetUrl });
    const { action_id: id } = (await ask(b, { targetUrl: spelled })).json<HeldResponse>();
    await a.approve(id);
    expect((await a.execute(id)).status).toBe(200);
    expect(await readStatus(ask(b, { targetUrl: spelled }))).toBe(200);
    expect(await readStatus(ask(b, { targetUrl }))).toBe(428);
    expect(await readStatus(ask(b, { targetUrl: `${targetUrl}%20` }))).toBe(428);
  });

  it('is forwarded when a rule newer than the denial allows it, but not when the rule is older', async () => {
    const asked = { targetUrl: target() };
    const allow = () =>
      a.admin<{ id: number }>(`POST /services/${a.service.id}/risk-rules`, {
        name: 'allow',
        effect: 'allow',
        methods: ['DELETE'],
        pathPattern: new URL(asked.targetUrl).pathname.replace('/v1', ''),
      });
    a.model.answer({ score: 1 });
    const { action_id: id } = (await ask(a, asked)).json<HeldResponse>();
    const older = await allow();
    await a.deny(id);
    expect(await readStatus(ask(b, asked))).toBe(428);
    await a.admin(`DELETE /services/${a.service.id}/risk-rules/${older.id}`);
    await allow();
    expect(await readStatus(ask(b, asked))).toBe(200);
  });

  it('is held when another instance’s clock dates the older rule after the denial', async () => {
    const fast = await a.secondInstance();
    try {
      fast.app.clock.advance({ seconds: 30 });
      const asked = { targetUrl: target() };
      a.model.answer({ score: 1 });
      const { action_id: id } = (await ask(a, asked)).json<HeldResponse>();
      await fast.admin(`POST /services/${a.service.id}/risk-rules`, {
        name: 'early allow',
        effect: 'allow',
        pathPattern: new URL(asked.targetUrl).pathname.replace('/v1', ''),
      });
      await a.deny(id);
      expect(await readStatus(ask(b, asked))).toBe(428);
    } finally {
      await fast.app.close();
    }
  });

  it('is forwarded when the denial is a day old', async () => {
    const asked = { targetUrl: target() };
    const id = await denied(asked);
    await a.app.database.query(`UPDATE actions SET resolved_at = resolved_at - interval '25 h' WHERE id = $1`, [id]);
    expect(await readStatus(ask(b, asked))).toBe(200);
  });
});

describe('a request that equals a pending one', () => {
  it('shares its action without a key, and gets its own action with a key', async () => {
    const asked = { targetUrl: target() };
    a.model.answer({ score: 1 });
    const { action_id: first } = (await ask(a, asked)).json<HeldResponse>();
    a.model.answer({ score: 0 });
    expect((await ask(b, asked)).json()).toMatchObject({ action_id: first });
    const keyed = await ask(b, { ...asked, idempotencyKey: 'own' });
    const { action_id: second } = keyed.json<HeldResponse>();
    expect([keyed.status, second === first]).toEqual([428, false]);
    expect((await item(second)).repeats).toMatchObject({ action_id: first, status: 'PENDING', resolved_by: null });
    expect(a.upstream.calls).toHaveLength(0);
  });

  it('is counted in `repeats`, which is null after the first request', async () => {
    a.model.answer({ score: 1 });
    const { action_id: id } = (await ask(a, { targetUrl: target() })).json<HeldResponse>();
    expect((await item(id)).repeats).toBeNull();
  });
});

it('DENIAL_HOLDS_HOURS=0 leaves the decision to the score again', async () => {
  const off = await a.secondInstance({ DENIAL_HOLDS_HOURS: '0' });
  try {
    const asked = { targetUrl: target() };
    await denied(asked);
    expect(await readStatus(ask(off, asked))).toBe(200);
  } finally {
    await off.app.close();
  }
});

describe('a deny rule that is created after an approval', () => {
  it('stops the execution on every instance, and the action stays approved', async () => {
    a.model.answer({ score: 1 });
    const targetUrl = target();
    const { action_id: id } = (await ask(a, { targetUrl })).json<HeldResponse>();
    await a.approve(id);
    const rule = await a.admin<{ id: number }>(`POST /services/${a.service.id}/risk-rules`, {
      name: 'freeze',
      effect: 'deny',
      methods: ['DELETE'],
    });
    const stopped = await b.execute(id);
    expect([stopped.status, stopped.json().error]).toEqual([403, 'Denied by risk rule "freeze"']);
    expect(a.upstream.calls).toHaveLength(0);
    expect((await item(id)).status).toBe('APPROVED');
    await a.admin(`DELETE /services/${a.service.id}/risk-rules/${rule.id}`);
    expect((await b.execute(id)).status).toBe(200);
  });
});

it('a race between equal requests and a denial: no request is forwarded', async () => {
  for (let round = 0; round < 20; round++) {
    const targetUrl = target();
    a.model.answer({ score: 1 });
    const { action_id: id } = (await ask(a, { targetUrl })).json<HeldResponse>();
    a.model.answer({ score: 0 });
    // The gateway holds an equal request under a key while the first one is pending and after its denial. No moment
    // lies in between.
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, (_, n) => ask(n % 2 ? a : b, { targetUrl, idempotencyKey: `race-${round}-${n}` })),
      a.deny(id).then(() => null),
    ]);
    expect(answers.map((answer) => answer?.status ?? null)).toEqual([428, 428, 428, 428, 428, null]);
  }
  expect(a.upstream.calls).toHaveLength(0);
});
