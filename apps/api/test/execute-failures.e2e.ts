import { randomUUID } from 'node:crypto';
import { ExecutionClaims } from '../src/approvals/execution-claims.js';
import { IdempotencySettlement } from '../src/idempotency/idempotency-settlement.js';
import { startFakeUpstream } from './support/fake-upstream.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { expectError, heldRequests } from './support/held-requests.js';

let gateway: Gateway;
/** This port is on the allow-list. Nothing listens there until a test does. */
let quietPort: number;
beforeAll(async () => {
  const placeholder = await startFakeUpstream();
  quietPort = Number(new URL(placeholder.url).port);
  await placeholder.close();
  gateway = await startGateway({ PRIVATE_TARGET_ALLOWLIST: placeholder.hostAndPort });
});
afterAll(() => gateway.close());

let serial = 0;
const { target, hold, approved } = heldRequests(() => gateway);

const approvedPost = (path = ''): Promise<string> =>
  approved({
    method: 'POST',
    body: '{"n":1}',
    idempotencyKey: `execute-${++serial}`,
    ...(path && { targetUrl: target(path) }),
  });

describe('an execution that fails', () => {
  it('before sending releases the claim: it can be executed once the upstream is available', async () => {
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

  it.each(['POST', 'PATCH'])('becomes EXECUTED with that 502 as its result if the %s was sent', async (method) => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const id = await approved({ method, body: '{}', idempotencyKey: `broken-${method}` });
    const answer = await gateway.execute(id);
    expectError(answer, 502, expect.stringMatching(/^Failed to forward request to 127\.0\.0\.1: connection was /));
    expect((await gateway.status(id)).json()).toEqual({
      status: 'EXECUTED',
      action_id: id,
      result: {
        status: 502,
        headers: { 'content-type': 'application/json; charset=utf-8', 'x-error-code': 'outcome_unknown' },
        body: answer.text,
        fromUpstream: false,
      },
    });
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXECUTED');
    expect(gateway.upstream.calls).toHaveLength(1);
  });

  it.each([
    ['GET', '/orders?_method=POST', {}],
    ['DELETE', '/orders?_method=PATCH', {}],
    ['GET', '/orders?_method=LINK', {}],
    ['PUT', '/orders', { body: '_method=POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
  ])(
    'becomes EXECUTED too if a %s %s that asks the upstream for another method was sent',
    async (method, path, more) => {
      gateway.upstream.answer((_call, response) => void response.socket?.destroy());
      gateway.model.answer({ score: 1 });
      const id = await approved({ method, targetUrl: target(path), ...more });
      expect((await gateway.execute(id)).status).toBe(502);
      expect((await gateway.status(id)).json()).toMatchObject({ status: 'EXECUTED', result: { fromUpstream: false } });
      expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXECUTED');
      expect(gateway.upstream.calls).toHaveLength(1);
    },
  );

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])(
    'after a %s was sent releases the claim, since repeating it does no harm',
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

  it('because the answer exceeds 10 MB returns 413, and is never repeated where that could do harm', async () => {
    gateway.upstream.answer((_call, response) => response.end(Buffer.alloc(11 * 1024 * 1024, 'x')));
    const id = await approvedPost();
    const answer = await gateway.execute(id);
    expect([answer.status, answer.json()]).toEqual([
      413,
      {
        error: 'Response size exceeds 10MB limit',
        statusCode: 413,
        next: expect.stringMatching(/^The upstream processed the request; only its response is lost\./) as string,
      },
    ]);
    expect((await gateway.status(id)).json()).toMatchObject({ status: 'EXECUTED', result: { status: 413 } });
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXECUTED');
  });
});

describe('a result that the database refuses', () => {
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

/**
 * The state after a `kill -9`: the claim exists, but its owner does not. These run last because they move the clock.
 */
describe('a claim left by a crash', () => {
  const claims = () => gateway.app.app.get(ExecutionClaims);
  const keys = () => gateway.app.app.get(IdempotencySettlement);
  const query = <T = unknown>(text: string, values: unknown[]) => gateway.app.database.query<T[]>(text, values);
  const later = async (): Promise<void> => {
    await gateway.app.advance({ seconds: 90 });
    await gateway.logInAgain();
  };

  /** @param recorded whether the process had written its audit record, and may have sent the request */
  async function crashExecuting(actionId: string, recorded: boolean): Promise<void> {
    const claimId = randomUUID();
    const now = gateway.app.clock.now();
    await query('UPDATE actions SET claim_id = $2, claimed_at = $3 WHERE id = $1', [actionId, claimId, now]);
    if (recorded) await crashRecord(claimId, 'execution', 'executed', now);
  }

  const crashRecord = (id: string, kind: string, outcome: string, at: Date, path = '/crashed') =>
    query(
      `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, service_id, url)
       SELECT $1, $2, $3, $4, workspace_id, id, $5 FROM services WHERE id = $6`,
      [id, at, kind, outcome, target(path), gateway.service.id],
    );

  async function crashForwarding(key: string, recorded: boolean, path?: string): Promise<void> {
    const claimId = randomUUID();
    const now = gateway.app.clock.now();
    await query(
      `UPDATE idempotency_records SET status = 'processing', claim_id = $2, created_at = $3, response_status = NULL,
         response_headers = NULL, response_body = NULL, response_from_upstream = NULL, completed_at = NULL
       WHERE key = $1`,
      [key, claimId, now],
    );
    if (recorded) await crashRecord(claimId, 'request', 'forwarded', now, path);
  }

  const UNKNOWN =
    'Failed to forward request to 127.0.0.1: the gateway stopped before the answer came; the request may have been carried out';

  describe.each(['by the job', 'on access, before the job runs'])('settled %s', (when) => {
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

    it('makes a DELETE that asks the upstream for another method EXECUTED with an unknown outcome', async () => {
      const id = await approved({ targetUrl: target('/orders?_method=POST') });
      await crashExecuting(id, true);
      await settle();
      expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXECUTED');
    });

    it('leaves a DELETE executable even when it may have been sent', async () => {
      const id = await approved();
      await crashExecuting(id, true);
      await settle();
      expect((await gateway.execute(id)).status).toBe(200);
    });

    it('frees a key when nothing was sent, and replays an unknown outcome when a POST may have been sent', async () => {
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

    it('frees the key of a GET that may have been sent, but not of one that asks the upstream for another method', async () => {
      gateway.model.answer({ score: 0 });
      const get = (path: string) =>
        gateway.proxy({ method: 'GET', targetUrl: target(path), idempotencyKey: `${path} ${when}` });
      const paths = ['/orders', '/orders?_method=POST'];
      for (const path of paths) {
        expect((await get(path)).status).toBe(200);
        await crashForwarding(`${path} ${when}`, true, path);
      }
      await settle();
      expect((await get(paths[0])).headers.get('x-proxy-status')).toBe('forwarded');
      expectError(await get(paths[1]), 502, UNKNOWN);
    });
  });

  it('can’t be taken over while its owner may be alive', async () => {
    const id = await approvedPost();
    await crashExecuting(id, false);
    await gateway.app.advance({ seconds: 31 });
    await claims().settleStale();
    expect((await gateway.execute(id)).status).toBe(409);
  });

  it('410 when the approval has expired, and EXPIRED from then on', async () => {
    const id = await approved();
    await gateway.app.advance({ hours: 1 });
    await gateway.logInAgain();
    expectError(await gateway.execute(id), 410, 'Approval has expired — resubmit request via POST /proxy');
    expect((await gateway.status(id)).json()).toEqual({ status: 'EXPIRED', action_id: id });
    const [{ status }] = await query<{ status: string }>('SELECT status FROM actions WHERE id = $1', [id]);
    expect(status).toBe('EXPIRED');
    expectError(await gateway.execute(id), 409, 'Cannot execute action with status EXPIRED');
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('409 with EXPIRED for an action that was not decided in time', async () => {
    const { action_id } = await hold();
    await gateway.app.advance({ hours: 24 });
    expectError(await gateway.execute(action_id), 409, 'Cannot execute action with status EXPIRED');
  });
});
