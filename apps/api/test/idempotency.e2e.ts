import { startGateway, type Gateway, type ProxyBody } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

let serial = 0;
beforeEach(() => {
  serial++;
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => {
    response.writeHead(201, { 'Content-Type': 'application/json', 'X-Serial': String(gateway.upstream.calls.length) });
    response.end(JSON.stringify({ serial: gateway.upstream.calls.length }));
  });
  gateway.model.answer({ score: 0, explanation: 'harmless' });
});

const post = (fields: Partial<ProxyBody> = {}, headers = {}) =>
  gateway.proxy(
    {
      method: 'POST',
      targetUrl: `${gateway.upstream.url}/v1/orders`,
      body: '{"n":1}',
      idempotencyKey: `key-${serial}`,
      ...fields,
    },
    headers,
  );

it('replays a completed request and forwards nothing', async () => {
  const first = await post();
  const second = await post();
  expect(gateway.upstream.calls).toHaveLength(1);
  for (const answer of [first, second]) {
    expect(answer.status).toBe(201);
    expect(answer.text).toBe('{"serial":1}');
    expect(answer.headers.get('x-serial')).toBe('1');
    expect(answer.headers.get('x-idempotency-status')).toBe('processed');
    expect(answer.headers.get('x-proxy-status')).toBe('forwarded');
  }
});

it('records a replay in the audit log', async () => {
  await post();
  await post();
  expect((await gateway.audit('&outcome=replayed'))[0]).toMatchObject({
    kind: 'request',
    method: 'POST',
    status: 201,
    agent: { name: 'support-bot' },
  });
});

it('prefers the key of the header to the key of the body', async () => {
  await post({ idempotencyKey: 'body-key' }, { 'Idempotency-Key': 'header-key' });
  await post({ idempotencyKey: 'another' }, { 'Idempotency-Key': 'header-key' });
  expect(gateway.upstream.calls).toHaveLength(1);
});

it('replays the same bytes, and any status of the upstream', async () => {
  const bytes = Buffer.from([0, 255, 254, 13, 10, 128]);
  gateway.upstream.answer((_call, response) => response.writeHead(500, { 'Content-Type': 'image/png' }).end(bytes));
  await post();
  const replay = await post();
  expect(replay.status).toBe(500);
  expect(replay.bytes.equals(bytes)).toBe(true);
  expect(gateway.upstream.calls).toHaveLength(1);
});

it('rejects a key that was used with another method, URL or body: 422', async () => {
  await post();
  for (const other of [
    { method: 'PATCH' },
    { targetUrl: `${gateway.upstream.url}/v1/orders?x=1` },
    { body: '{"n":2}' },
  ]) {
    const answer = await post(other);
    expect(answer.json()).toEqual({
      error: 'Idempotency key was already used with a different request',
      statusCode: 422,
    });
  }
  expect(gateway.upstream.calls).toHaveLength(1);
});

it('keeps the keys of two agents apart', async () => {
  const { apiKey } = await gateway.createAgent(`other-${serial}`, [gateway.service.id]);
  await post();
  await post({}, { 'Agent-Key': apiKey });
  expect(gateway.upstream.calls).toHaveLength(2);
});

it('returns 409 while the first request is in progress', async () => {
  let finish!: () => void;
  const arrived = new Promise<void>((resolve) => {
    gateway.upstream.answer((_call, response) => {
      finish = () => response.end('{}');
      resolve();
    });
  });
  const first = post();
  await arrived;
  const second = await post();
  expect(second.json()).toEqual({
    error: 'Request with this idempotency key is already being processed',
    statusCode: 409,
  });
  finish();
  expect((await first).status).toBe(200);
  expect(gateway.upstream.calls).toHaveLength(1);
});

it('retries after an error of its own before anything was sent', async () => {
  const rules = `/services/${gateway.service.id}/risk-rules`;
  const { id } = await gateway.admin<{ id: number }>(`POST ${rules}`, { name: 'closed', effect: 'deny' });
  expect((await post()).status).toBe(403);
  await gateway.admin(`DELETE ${rules}/${id}`);
  expect((await post()).status).toBe(201);
});

it('stores the 502 of a connection that broke after sending, and never sends the request again', async () => {
  gateway.upstream.answer((_call, response) => void response.socket?.destroy());
  const first = await post();
  expect(first.status).toBe(502);
  gateway.upstream.answer((_call, response) => response.end('late'));
  const second = await post();
  expect([second.status, second.text]).toEqual([502, first.text]);
  expect(second.headers.get('x-proxy-status')).toBeNull();
  expect(gateway.upstream.calls).toHaveLength(1);
});

it('retries a keyed GET after a broken connection', async () => {
  const get = () => gateway.proxy({ idempotencyKey: `get-${serial}` });
  gateway.upstream.answer((_call, response) => void response.socket?.destroy());
  expect((await get()).status).toBe(502);
  gateway.upstream.answer((_call, response) => response.end('ok'));
  expect((await get()).status).toBe(200);
});

it('never sends a keyed GET again that asks the upstream for another method', async () => {
  const get = () =>
    gateway.proxy({ targetUrl: `${gateway.upstream.url}/v1/orders?_method=POST`, idempotencyKey: `get-${serial}` });
  gateway.upstream.answer((_call, response) => void response.socket?.destroy());
  const first = await get();
  gateway.upstream.answer((_call, response) => response.end('ok'));
  const second = await get();
  expect([first.status, second.status, second.text]).toEqual([502, 502, first.text]);
  expect(gateway.upstream.calls).toHaveLength(1);
});

it('frees a key 24 hours after its first use', async () => {
  await post();
  await gateway.app.advance({ hours: 24 });
  gateway.token = (
    await import('./support/accounts.js').then(({ login }) => login(gateway.app, 'ada@example.com'))
  ).accessToken;
  await post();
  expect(gateway.upstream.calls).toHaveLength(2);
});

describe('a keyed request that is held', () => {
  const danger = () => gateway.model.answer({ score: 1, explanation: 'danger' });

  it('keeps its key bound to the action: the same 428 while PENDING and APPROVED, the result once EXECUTED', async () => {
    danger();
    const first = await post();
    expect(first.status).toBe(428);
    expect(first.headers.get('x-idempotency-status')).toBe('processed');
    const { action_id: id } = first.json<{ action_id: string }>();
    expect((await post()).json().action_id).toBe(id);
    expect((await post({ body: 'other' })).status).toBe(422);
    await gateway.approve(id);
    expect((await post()).json().action_id).toBe(id);
    const executed = await gateway.execute(id);
    expect(executed.status).toBe(201);
    const replay = await post();
    expect([replay.status, replay.text]).toEqual([201, executed.text]);
    expect(replay.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('is a new request after DENIED', async () => {
    danger();
    const { action_id: id } = (await post()).json<{ action_id: string }>();
    await gateway.deny(id, 'no');
    const next = (await post()).json<{ action_id: string }>();
    expect(next.action_id).not.toBe(id);
  });

  it('is a new request after EXPIRED', async () => {
    danger();
    const { action_id: id } = (await post()).json<{ action_id: string }>();
    await gateway.approve(id);
    await gateway.app.advance({ minutes: 61 });
    const next = (await post()).json<{ action_id: string }>();
    expect(next.action_id).not.toBe(id);
  });
});

describe('races', () => {
  it('50 parallel requests with one key make one upstream call', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post({ body: '{"race":50}' })));
    expect(gateway.upstream.calls).toHaveLength(1);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(1);
    expect(new Set(statuses)).toEqual(new Set(statuses.includes(409) ? [201, 409] : [201]));
  });

  it('50 parallel risky requests with one key create one action', async () => {
    gateway.model.answer({ score: 1, explanation: 'danger' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => post()));
    const ids = answers.filter(({ status }) => status === 428).map((answer) => answer.json().action_id);
    expect(new Set(ids).size).toBe(1);
    expect(answers.every(({ status }) => status === 428 || status === 409)).toBe(true);
  });
});
