import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Action, HeldResponse } from '#contracts';
import { ExecutionClaims } from '../src/approvals/execution-claims.js';
import { IdempotencyStore } from '../src/proxy/idempotency-store.js';
import { eventually } from './support/eventually.js';
import { startFakeUpstream } from './support/fake-upstream.js';
import { SECRET, startGateway, type Gateway, type ProxyAnswer, type ProxyBody } from './support/gateway.js';

let gateway: Gateway;
/** On the allow-list, and nobody listens there until a test does. */
let quietPort: number;
beforeAll(async () => {
  const placeholder = await startFakeUpstream();
  quietPort = Number(new URL(placeholder.url).port);
  await placeholder.close();
  gateway = await startGateway({ PRIVATE_TARGET_ALLOWLIST: placeholder.hostAndPort });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"done":true}');
  });
});

let serial = 0;
const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const storedAction = (id: string): Promise<Action> => gateway.admin<Action>(`GET /approvals/${id}`);

/** A held request of its own. */
const hold = (fields: Partial<ProxyBody> = {}, headers: Record<string, string> = {}): Promise<HeldResponse> =>
  gateway.hold({ targetUrl: target(`/things/${++serial}`), ...fields }, headers);

async function approved(fields: Partial<ProxyBody> = {}, headers: Record<string, string> = {}): Promise<string> {
  const { action_id } = await hold(fields, headers);
  await gateway.approve(action_id);
  return action_id;
}

const approvedPost = (path = ''): Promise<string> =>
  approved({
    method: 'POST',
    body: '{"n":1}',
    idempotencyKey: `execute-${++serial}`,
    ...(path && { targetUrl: target(path) }),
  });

function expectError(answer: ProxyAnswer, status: number, error: unknown): void {
  expect(answer.json()).toEqual({ error, statusCode: status });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('x-proxy-status')).toBeNull();
}

describe('POST /proxy/execute/:actionId', () => {
  it('sends the stored request with fresh credentials, and returns the answer of the upstream directly', async () => {
    gateway.upstream.answer((_call, response) => {
      response.writeHead(202, { 'Content-Type': 'application/vnd.shop+json', ETag: '"7"' }).end('{"queued":true}');
    });
    const id = await approved({
      method: 'PUT',
      targetUrl: target('/things/a?b=c'),
      headers: { 'X-Custom': 'kept' },
      body: '{"a":1}',
    });
    const answer = await gateway.execute(id);
    expect([answer.status, answer.text]).toEqual([202, '{"queued":true}']);
    expect(answer.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(answer.headers.get('x-idempotency-status')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/vnd.shop+json');
    expect(answer.headers.get('etag')).toBe('"7"');
    expect(gateway.upstream.calls).toHaveLength(1);
    expect(gateway.upstream.calls[0]).toMatchObject({ method: 'PUT', path: '/v1/things/a?b=c' });
    expect(gateway.upstream.calls[0].body.toString()).toBe('{"a":1}');
    expect(gateway.upstream.calls[0].headers).toMatchObject({
      'x-custom': 'kept',
      'content-type': 'application/json',
      authorization: `Bearer ${SECRET}`,
    });
  });

  it('takes any status of the upstream for an answer', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(503).end('busy'));
    const id = await approved();
    expect((await gateway.execute(id)).status).toBe(503);
    expect((await storedAction(id)).status).toBe('EXECUTED');
  });

  it('401 without a good agent key', async () => {
    const id = await approved();
    expectError(await gateway.execute(id, { 'Agent-Key': '' }), 401, 'Missing Agent-Key header');
    expectError(await gateway.execute(id, { 'Agent-Key': 'x' }), 401, 'Invalid Agent-Key format');
    expectError(await gateway.execute(id, { 'Agent-Key': `agt_${'0'.repeat(64)}` }), 401, 'Invalid Agent-Key');
  });

  it('401 once the agent is revoked', async () => {
    const { agent, apiKey } = await gateway.createAgent('revoked-bot', [gateway.service.id]);
    const id = await approved({}, { 'Agent-Key': apiKey });
    await gateway.admin(`PUT /agents/${agent.id}`, { isActive: false });
    expectError(await gateway.execute(id, { 'Agent-Key': apiKey }), 401, 'Agent key has been revoked');
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('404 for what is not there, and for the action of another agent', async () => {
    const id = await approved();
    const { apiKey } = await gateway.createAgent('other-bot', [gateway.service.id]);
    for (const answer of [
      await gateway.execute(id, { 'Agent-Key': apiKey }),
      await gateway.status(id, { 'Agent-Key': apiKey }),
      await gateway.execute(randomUUID()),
      await gateway.status(randomUUID()),
      await gateway.execute('no-uuid'),
      await gateway.status('no-uuid'),
    ]) {
      expectError(answer, 404, 'Action not found');
    }
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('409 with the status unless it is APPROVED', async () => {
    const pending = (await hold()).action_id;
    const denied = (await hold()).action_id;
    await gateway.deny(denied);
    const executed = await approved();
    await gateway.execute(executed);
    for (const [id, status] of [
      [pending, 'PENDING'],
      [denied, 'DENIED'],
      [executed, 'EXECUTED'],
    ]) {
      expectError(await gateway.execute(id), 409, `Cannot execute action with status ${status}`);
    }
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('409 while an execution is under way', async () => {
    let finish!: () => void;
    const arrived = new Promise<void>((resolve) => {
      gateway.upstream.answer((_call, response) => {
        finish = () => response.end('{}');
        resolve();
      });
    });
    const id = await approved();
    const first = gateway.execute(id);
    await arrived;
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status APPROVED (execution in progress)');
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'APPROVED' });
    finish();
    expect((await first).status).toBe(200);
  });

  it('410 when the service is gone', async () => {
    const service = await gateway.createService({ name: 'Doomed', baseUrl: `${gateway.upstream.url}/doomed` });
    const { apiKey } = await gateway.createAgent('doomed-bot', [service.id, gateway.service.id]);
    const id = await approved({ targetUrl: `${gateway.upstream.url}/doomed/1` }, { 'Agent-Key': apiKey });
    await gateway.admin(`DELETE /services/${service.id}`);
    expectError(await gateway.execute(id, { 'Agent-Key': apiKey }), 410, 'Service no longer exists');
    expect(await storedAction(id)).toMatchObject({ status: 'APPROVED', service: { id: null, name: 'Doomed' } });
  });

  it('403 when the service has left the scope of the agent', async () => {
    const other = await gateway.createService({ name: 'Other', baseUrl: `${gateway.upstream.url}/other` });
    const { agent, apiKey } = await gateway.createAgent('moved-bot', [gateway.service.id]);
    const id = await approved({}, { 'Agent-Key': apiKey });
    await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [other.id] });
    expectError(await gateway.execute(id, { 'Agent-Key': apiKey }), 403, 'Agent does not have access to this service');
    await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [gateway.service.id] });
    expect((await gateway.execute(id, { 'Agent-Key': apiKey })).status).toBe(200);
  });

  it('403 when the service has moved, so that its credentials never go to the old place', async () => {
    const service = await gateway.createService({ name: 'Moving', baseUrl: `${gateway.upstream.url}/moving` });
    const { apiKey } = await gateway.createAgent('moving-bot', [service.id]);
    const id = await approved({ targetUrl: `${gateway.upstream.url}/moving/1` }, { 'Agent-Key': apiKey });
    await gateway.admin(`PUT /services/${service.id}`, { baseUrl: 'https://new-home.example/v2' });
    expectError(
      await gateway.execute(id, { 'Agent-Key': apiKey }),
      403,
      'Target hostname (127.0.0.1) does not match service baseUrl (new-home.example)',
    );
    await gateway.admin(`PUT /services/${service.id}`, { baseUrl: `${gateway.upstream.url}/moving/inner` });
    expectError(
      await gateway.execute(id, { 'Agent-Key': apiKey }),
      403,
      'Target path must start with service baseUrl path (/moving/inner)',
    );
    expect(gateway.upstream.calls).toHaveLength(0);
    expect((await storedAction(id)).status).toBe('APPROVED');
  });

  it('403 when the operator no longer allows the private address', async () => {
    const id = await approved();
    const strict = await gateway.secondInstance({ PRIVATE_TARGET_ALLOWLIST: '' });
    try {
      expectError(await strict.execute(id), 403, 'Access to private IP ranges is forbidden');
      expect(gateway.upstream.calls).toHaveLength(0);
    } finally {
      await strict.app.close();
    }
    expect((await gateway.execute(id)).status).toBe(200);
  });

  it('500 when the credentials are missing; it can be executed once they are there', async () => {
    const id = await approved();
    const credentials = `POST /services/${gateway.service.id}/credentials`;
    await gateway.admin(credentials, { credentials: { other: 'x' } });
    expectError(await gateway.execute(id), 500, 'No credentials found for service');
    await gateway.admin(credentials, { credentials: { token: 'renewed-token' } });
    expect((await gateway.execute(id)).status).toBe(200);
    expect(gateway.upstream.calls).toHaveLength(1);
    expect(gateway.upstream.calls[0].headers.authorization).toBe('Bearer renewed-token');
    await gateway.admin(credentials, { credentials: { token: SECRET } });
  });

  it('stores the result before the agent gets it', async () => {
    const id = await approved();
    const holder = new Client({ connectionString: gateway.app.databaseUrl });
    await holder.connect();
    const asked = new Promise<void>((resolve) => {
      gateway.upstream.answer((_call, response) => {
        // Whoever wants to store must wait for this lock.
        void holder
          .query('BEGIN; SELECT 1 FROM actions WHERE id = ' + holder.escapeLiteral(id) + ' FOR UPDATE')
          .then(() => {
            response.end('late');
            resolve();
          });
      });
    });
    let answered = false;
    const execution = gateway.execute(id).finally(() => (answered = true));
    await asked;
    await eventually(async () => {
      const waiting = await gateway.app.database.query<unknown[]>(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'UPDATE "actions"%'`,
      );
      return waiting.length > 0;
    });
    expect(answered).toBe(false);
    await holder.query('COMMIT');
    await holder.end();
    expect((await execution).text).toBe('late');
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'EXECUTED', result: { body: 'late' } });
  });
});

describe('GET /status/:actionId', () => {
  it('401 without a good agent key', async () => {
    const { action_id } = await hold();
    expectError(await gateway.status(action_id, { 'Agent-Key': '' }), 401, 'Missing Agent-Key header');
    expectError(await gateway.status(action_id, { 'Agent-Key': 'x' }), 401, 'Invalid Agent-Key format');
  });

  it('tells each status with its own fields and no others', async () => {
    const { action_id } = await hold();
    const pending = await gateway.status(action_id);
    expect(pending.status).toBe(200);
    expect(pending.json()).toEqual({
      status: 'PENDING',
      action_id,
      created_at: (await storedAction(action_id)).created_at,
    });
    expect(pending.headers.get('retry-after')).toBe('8');
    expect(pending.headers.get('preference-applied')).toBeNull();

    await gateway.approve(action_id, 'for your eyes only');
    const approval = await gateway.status(action_id);
    expect(approval.json()).toEqual({
      status: 'APPROVED',
      action_id,
      execute_url: `/proxy/execute/${action_id}`,
    });
    expect(approval.headers.get('retry-after')).toBeNull();

    gateway.upstream.answer((_call, response) => {
      response.writeHead(418, { 'Content-Type': 'text/plain', Link: ['<a>', '<b>'], 'Set-Cookie': 'no=1' });
      response.end('short and stout ☕');
    });
    await gateway.execute(action_id);
    expect((await gateway.status(action_id)).json()).toEqual({
      status: 'EXECUTED',
      action_id,
      result: {
        status: 418,
        headers: expect.objectContaining({ 'content-type': 'text/plain', link: ['<a>', '<b>'] }),
        body: 'short and stout ☕',
      },
    });
    expect((await storedAction(action_id)).result!.headers).not.toHaveProperty('set-cookie');

    const denied = (await hold()).action_id;
    await gateway.deny(denied, 'no');
    expect((await gateway.status(denied)).json()).toEqual({
      status: 'DENIED',
      action_id: denied,
      resolved_at: (await storedAction(denied)).resolved_at,
      resolution_note: 'no',
    });
  });

  it('gives bytes that are no text as base64', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 254]);
    gateway.upstream.answer((_call, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(bytes));
    const id = await approved();
    expect((await gateway.execute(id)).bytes.equals(bytes)).toBe(true);
    const { result } = (await gateway.status(id)).json<{ result: unknown }>();
    expect(result).toEqual({
      status: 200,
      headers: expect.objectContaining({ 'content-type': 'image/png' }),
      body: bytes.toString('base64'),
      bodyEncoding: 'base64',
    });
  });

  it('with Prefer: wait answers as soon as the action is decided', async () => {
    const { action_id } = await hold();
    const waiting = gateway.status(action_id, { Prefer: 'wait=60' });
    await eventually(async () => (await storedAction(action_id)).last_polled_at);
    await gateway.approve(action_id);
    const answer = await waiting;
    expect(answer.json()).toMatchObject({ status: 'APPROVED' });
    expect(answer.headers.get('preference-applied')).toBe('wait=60');
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it('with Prefer: wait answers PENDING when the time is over', async () => {
    const { action_id } = await hold();
    const before = Date.now();
    const answer = await gateway.status(action_id, { Prefer: 'respond-async, wait=1' });
    expect(Date.now() - before).toBeGreaterThanOrEqual(990);
    expect(answer.json()).toMatchObject({ status: 'PENDING' });
    expect(answer.headers.get('preference-applied')).toBe('wait=1');
    expect(answer.headers.get('retry-after')).toBe('8');
  });

  it('with Prefer: wait answers at once what is decided already, or of no interest to it', async () => {
    const id = await approved();
    expect((await gateway.status(id, { Prefer: 'wait=60' })).json()).toMatchObject({ status: 'APPROVED' });
    const ignored = await gateway.status((await hold()).action_id, { Prefer: 'wait=0' });
    expect(ignored.headers.get('preference-applied')).toBeNull();
    expectError(await gateway.status(randomUUID(), { Prefer: 'wait=60' }), 404, 'Action not found');
  });
});

describe('POST /proxy with Prefer: wait', () => {
  const waiting = (fields: Partial<ProxyBody> = {}, wait = 'wait=60') => {
    gateway.model.answer({ score: 0.9 });
    const body = { method: 'DELETE', targetUrl: target(`/waits/${++serial}`), ...fields };
    return { answer: gateway.proxy(body, { Prefer: wait }), url: body.targetUrl };
  };
  const heldAt = (url: string): Promise<string> =>
    eventually(async () => {
      const { items } = await gateway.admin<{ items: Action[] }>('GET /approvals?limit=200');
      return items.find(({ targetUrl }) => targetUrl === url)?.action_id;
    });

  it('executes in the same call when a human approves', async () => {
    const { answer, url } = waiting();
    const id = await heldAt(url);
    expect(gateway.upstream.calls).toHaveLength(0);
    await gateway.approve(id);
    const executed = await answer;
    expect([executed.status, executed.text]).toEqual([200, '{"done":true}']);
    expect(executed.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(gateway.upstream.calls).toHaveLength(1);
    expect((await storedAction(id)).status).toBe('EXECUTED');
  });

  it('and a key replays that answer', async () => {
    const post = { method: 'POST', body: '{}', idempotencyKey: `waits-${serial}` };
    const { answer, url } = waiting(post);
    await gateway.approve(await heldAt(url));
    const executed = await answer;
    expect(executed.headers.get('x-idempotency-status')).toBe('processed');
    const replay = await gateway.proxy({ ...post, targetUrl: url });
    expect([replay.status, replay.text]).toEqual([executed.status, executed.text]);
    expect(replay.headers.get('x-proxy-status')).toBe('executed-approved');
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('gets the 428 when a human denies', async () => {
    const { answer, url } = waiting();
    const id = await heldAt(url);
    await gateway.deny(id);
    const denied = await answer;
    expect([denied.status, denied.json().action_id]).toEqual([428, id]);
    expect(denied.headers.get('preference-applied')).toMatch(/^wait/);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('gets the 428 when nobody decides in time, and may go on as usual', async () => {
    const { answer } = waiting({}, 'wait=1');
    const held = await answer;
    expect(held.status).toBe(428);
    expect(held.headers.get('retry-after')).toBe('8');
    expect(held.headers.get('preference-applied')).toMatch(/^wait/);
    const { action_id } = held.json<HeldResponse>();
    await gateway.approve(action_id);
    expect((await gateway.execute(action_id)).status).toBe(200);
  });

  it('is judged again by what holds when the wait ends: a service that left the scope is out of reach', async () => {
    const other = await gateway.createService({ name: 'Elsewhere', baseUrl: `${gateway.upstream.url}/elsewhere` });
    const { answer, url } = waiting();
    const id = await heldAt(url);
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [other.id] });
    await gateway.approve(id);
    const refused = await answer;
    await gateway.admin(`PUT /agents/${gateway.agent.id}/services`, { serviceIds: [gateway.service.id] });
    expectError(refused, 404, 'No service found matching target URL or agent does not have access');
    expect(gateway.upstream.calls).toHaveLength(0);
  });
});

describe('an execution that fails', () => {
  it('before anything was sent gives the claim back: it can be executed once the upstream is there', async () => {
    const service = await gateway.createService({ name: 'Quiet', baseUrl: `http://127.0.0.1:${quietPort}` });
    const { apiKey } = await gateway.createAgent('quiet-bot', [service.id]);
    const post = { method: 'POST', targetUrl: `${service.baseUrl}/x`, body: '{}', idempotencyKey: 'quiet' };
    const id = await approved(post, { 'Agent-Key': apiKey });
    const refused = await gateway.execute(id, { 'Agent-Key': apiKey });
    expectError(refused, 502, 'Failed to forward request to 127.0.0.1: connection refused');
    expect((await gateway.status(id, { 'Agent-Key': apiKey })).json()).toMatchObject({ status: 'APPROVED' });
    const upstream = await startFakeUpstream(quietPort);
    try {
      expect((await gateway.execute(id, { 'Agent-Key': apiKey })).status).toBe(200);
      expect(upstream.calls).toHaveLength(1);
    } finally {
      await upstream.close();
    }
  });

  it.each(['POST', 'PATCH'])('after a %s was sent is EXECUTED with that 502 as the result', async (method) => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const id = await approved({ method, body: '{}', idempotencyKey: `broken-${method}` });
    const answer = await gateway.execute(id);
    expectError(answer, 502, expect.stringMatching(/^Failed to forward request to 127\.0\.0\.1: connection was /));
    expect((await gateway.status(id)).json()).toEqual({
      status: 'EXECUTED',
      action_id: id,
      result: {
        status: 502,
        headers: { 'content-type': 'application/json', 'x-error-code': 'outcome_unknown' },
        body: answer.text,
        fromUpstream: false,
      },
    });
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXECUTED');
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])(
    'after a %s was sent gives the claim back, since a repetition does no harm',
    async (method) => {
      gateway.upstream.answer((_call, response) => void response.socket?.destroy());
      gateway.model.answer({ score: 1 });
      const id = await approved({ method });
      expect((await gateway.execute(id)).status).toBe(502);
      expect((await gateway.status(id)).json()).toMatchObject({ status: 'APPROVED' });
      gateway.upstream.answer((_call, response) => response.end());
      expect((await gateway.execute(id)).status).toBe(200);
      expect(gateway.upstream.calls).toHaveLength(2);
    },
  );

  it('by an answer over 10 MB is 413, and never sent twice where that could do harm', async () => {
    gateway.upstream.answer((_call, response) => response.end(Buffer.alloc(11 * 1024 * 1024, 'x')));
    const id = await approvedPost();
    expectError(await gateway.execute(id), 413, 'Response size exceeds 10MB limit');
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'EXECUTED', result: { status: 413 } });
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXECUTED');
  });
});

describe('a result that the database does not take', () => {
  const refuse = (table: string, column: string, value: string) =>
    gateway.app.database.query(`
      CREATE FUNCTION refuse_result() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full'; END $$;
      CREATE TRIGGER refuse_result BEFORE UPDATE ON ${table} FOR EACH ROW WHEN (NEW.${column} = '${value}')
        EXECUTE FUNCTION refuse_result();`);
  afterEach(() => gateway.app.database.query('DROP FUNCTION refuse_result CASCADE'));

  it('never makes an executed POST executable again', async () => {
    const id = await approvedPost();
    await refuse('actions', 'status', 'EXECUTED');
    expectError(await gateway.execute(id), 500, 'Internal server error');
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status APPROVED (execution in progress)');
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it('never makes a forwarded POST forwardable again', async () => {
    gateway.model.answer({ score: 0 });
    const post = () =>
      gateway.proxy({ method: 'POST', targetUrl: target('/unstored'), body: '{}', idempotencyKey: 'unstored' });
    await refuse('idempotency_records', 'status', 'completed');
    expectError(await post(), 500, 'Internal server error');
    expectError(await post(), 409, 'Request with this idempotency key is already being processed');
    expect(gateway.upstream.calls).toHaveLength(1);
  });
});

/** As a `kill -9` leaves them: the claim is there, its owner is not. These move the clock, so they come last. */
describe('a claim left by a crash', () => {
  const claims = () => gateway.app.app.get(ExecutionClaims);
  const keys = () => gateway.app.app.get(IdempotencyStore);
  const query = <T = unknown>(text: string, values: unknown[]) => gateway.app.database.query<T[]>(text, values);
  const later = async (): Promise<void> => {
    gateway.app.clock.advance({ seconds: 60 });
    await gateway.logInAgain();
  };

  /** @param recorded whether the process had come to its audit record, and so perhaps to sending */
  async function crashExecuting(actionId: string, recorded: boolean): Promise<void> {
    const claimId = randomUUID();
    const now = gateway.app.clock.now();
    await query('UPDATE actions SET claim_id = $2, claimed_at = $3 WHERE id = $1', [actionId, claimId, now]);
    if (recorded) await crashRecord(claimId, 'execution', 'executed', now);
  }

  const crashRecord = (id: string, kind: string, outcome: string, at: Date) =>
    query(
      `INSERT INTO audit_records (id, at, kind, outcome, user_id, url) SELECT $1, $2, $3, $4, id, $5 FROM users LIMIT 1`,
      [id, at, kind, outcome, target('/crashed')],
    );

  async function crashForwarding(key: string, recorded: boolean): Promise<void> {
    const claimId = randomUUID();
    const now = gateway.app.clock.now();
    await query(
      `UPDATE idempotency_records SET status = 'processing', claim_id = $2, created_at = $3, response_status = NULL,
         response_headers = NULL, response_body = NULL, response_from_upstream = NULL, completed_at = NULL
       WHERE key = $1`,
      [key, claimId, now],
    );
    if (recorded) await crashRecord(claimId, 'request', 'forwarded', now);
  }

  const UNKNOWN =
    'Failed to forward request to 127.0.0.1: the gateway stopped before the answer came; the request may have been carried out';

  describe.each(['by the job', 'on access, before the job comes'])('settled %s', (when) => {
    const settle = async (): Promise<void> => {
      await later();
      if (when === 'by the job') {
        await claims().settleStale();
        await keys().settleStale();
      }
    };

    it('leaves an action executable when nothing was sent', async () => {
      const id = await approvedPost();
      await crashExecuting(id, false);
      expect((await gateway.execute(id)).status).toBe(409);
      await settle();
      expect((await gateway.execute(id)).status).toBe(200);
      const abandoned = await gateway.audit(`&actionId=${id}&outcome=abandoned`);
      expect(abandoned).toHaveLength(1);
    });

    it('makes a POST EXECUTED with an unknown outcome when it may have been sent', async () => {
      const id = await approvedPost();
      await crashExecuting(id, true);
      await settle();
      expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXECUTED');
      const { result } = (await gateway.status(id)).json<{ result: { status: number; body: string } }>();
      expect(result.status).toBe(502);
      expect(JSON.parse(result.body)).toEqual({ error: UNKNOWN, statusCode: 502 });
      expect(gateway.upstream.calls).toHaveLength(0);
    });

    it('leaves a DELETE executable even when it may have been sent', async () => {
      const id = await approved();
      await crashExecuting(id, true);
      await settle();
      expect((await gateway.execute(id)).status).toBe(200);
    });

    it('frees a key when nothing was sent, and replays an unknown outcome when a POST may have been', async () => {
      gateway.model.answer({ score: 0 });
      const post = (key: string) =>
        gateway.proxy({ method: 'POST', targetUrl: target('/crashed'), body: '{}', idempotencyKey: key });
      const [unsent, sent] = [`unsent ${when}`, `sent ${when}`];
      for (const key of [unsent, sent]) expect((await post(key)).status).toBe(200);
      await crashForwarding(unsent, false);
      await crashForwarding(sent, true);
      for (const key of [unsent, sent]) expect((await post(key)).status).toBe(409);
      gateway.upstream.calls.length = 0;
      await settle();
      expect((await post(unsent)).headers.get('x-proxy-status')).toBe('forwarded');
      for (let i = 0; i < 2; i++) {
        const replay = await post(sent);
        expectError(replay, 502, UNKNOWN);
        expect(replay.headers.get('x-idempotency-status')).toBe('processed');
      }
      expect(gateway.upstream.calls).toHaveLength(1);
    });
  });

  it('is nobody else’s while its owner may be alive', async () => {
    const id = await approvedPost();
    await crashExecuting(id, false);
    gateway.app.clock.advance({ seconds: 31 });
    await claims().settleStale();
    expect((await gateway.execute(id)).status).toBe(409);
  });

  it('410 when the approval has expired, and EXPIRED from then on', async () => {
    const id = await approved();
    gateway.app.clock.advance({ hours: 1 });
    await gateway.logInAgain();
    expectError(await gateway.execute(id), 410, 'Approval has expired — resubmit request via POST /proxy');
    expect((await gateway.status(id)).json()).toEqual({ status: 'EXPIRED', action_id: id });
    const [{ status }] = await query<{ status: string }>('SELECT status FROM actions WHERE id = $1', [id]);
    expect(status).toBe('EXPIRED');
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXPIRED');
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('409 with EXPIRED for one that nobody decided in time', async () => {
    const { action_id } = await hold();
    gateway.app.clock.advance({ hours: 24 });
    expectError(await gateway.execute(action_id), 409, 'Cannot execute action with status EXPIRED');
  });
});

it('records a refused execution with its action', async () => {
  // Others have moved the clock past the end of the token.
  await gateway.logInAgain();
  const { action_id: id } = await gateway.hold({ targetUrl: `${gateway.upstream.url}/v1/customers/refused` });
  expect((await gateway.execute(id)).status).toBe(409);
  const [record] = await gateway.audit(`&actionId=${id}&outcome=refused`);
  expect(record).toMatchObject({ kind: 'execution', actionId: id, status: 409 });
});
