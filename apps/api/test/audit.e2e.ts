import { Client } from 'pg';
import type { Agent, AuditRecord } from '#contracts';
import { login } from './support/accounts.js';
import { SECRET, startGateway, type Gateway, type ProxyBody } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true', AUDIT_RETENTION_DAYS: '30' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.calls.length = 0;
  gateway.upstream.answer((_call, response) => response.end('{"ok":true}'));
  gateway.model.answer({ score: 0, explanation: 'harmless' });
});

let serial = 0;
const target = (path: string): string => `${gateway.upstream.url}/v1${path}`;
const NOTHING = {
  actor: null,
  summary: null,
  headline: null,
  decision: null,
  undoneAt: null,
  details: null,
  actionId: null,
  reason: null,
  error: null,
  observed: null,
};

/** The records of one request, which the target URL identifies. */
async function readRecords(send: (headers: Record<string, string>) => Promise<unknown>): Promise<AuditRecord[]> {
  const requestId = `audit-${++serial}`;
  await send({ 'X-Request-Id': requestId });
  return gateway.audit(`&requestId=${requestId}`);
}

describe('a record is written', () => {
  const asked = () => ({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    requestId: `audit-${serial}`,
    agent: { id: gateway.agent.id, name: 'support-bot' },
    service: { id: gateway.service.id, name: 'Shop' },
  });

  it('for a forwarded request, with its outcome', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(404).end('not here'));
    const records = await readRecords((headers) =>
      gateway.proxy({ targetUrl: target('/seen?x=1'), intent: 'look it up' }, headers),
    );
    expect(records).toEqual([
      {
        ...NOTHING,
        ...asked(),
        kind: 'request',
        outcome: 'forwarded',
        method: 'GET',
        url: target('/seen?x=1'),
        intent: 'look it up',
        riskScore: expect.closeTo(0.03),
        riskExplanation: expect.stringContaining('harmless'),
        status: 404,
        upstreamStatus: 404,
        durationMs: expect.any(Number),
        responseBytes: 8,
      },
    ]);
  });

  it('for a request whose upstream did not answer, with the error', async () => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const records = await readRecords((headers) => gateway.proxy({}, headers));
    expect(records).toEqual([
      expect.objectContaining({
        outcome: 'forwarded',
        status: 502,
        upstreamStatus: null,
        responseBytes: null,
        durationMs: expect.any(Number),
        error: expect.stringMatching(/^connection was /),
      }),
    ]);
  });

  it('for a held request, its decision and its execution, linked by the action', async () => {
    let actionId = '';
    const held = await readRecords(async (headers) => {
      actionId = (await gateway.hold({ targetUrl: target('/held/1') }, headers)).action_id;
    });
    expect(held).toEqual([
      {
        ...NOTHING,
        ...asked(),
        kind: 'request',
        outcome: 'held',
        method: 'DELETE',
        url: target('/held/1'),
        intent: 'clean up',
        riskScore: expect.closeTo(0.84),
        riskExplanation: expect.stringContaining('deletes a customer'),
        summary: expect.stringContaining('DELETE'),
        headline: expect.stringContaining('DELETE'),
        actionId,
        decision: { state: 'waiting', by: null, at: null, note: null },
        status: 428,
        upstreamStatus: null,
        durationMs: null,
        responseBytes: null,
      },
    ]);
    await gateway.approve(actionId, 'go on');
    const executed = await readRecords((headers) => gateway.execute(actionId, headers));
    expect(executed).toEqual([
      {
        ...NOTHING,
        ...asked(),
        kind: 'execution',
        outcome: 'executed',
        method: 'DELETE',
        url: target('/held/1'),
        intent: 'clean up',
        riskScore: expect.closeTo(0.84),
        riskExplanation: expect.any(String),
        summary: expect.stringContaining('DELETE'),
        headline: expect.stringContaining('DELETE'),
        actionId,
        decision: {
          state: 'approved',
          by: expect.objectContaining({ name: 'Ada' }),
          at: expect.any(String),
          note: 'go on',
        },
        status: 200,
        upstreamStatus: 200,
        durationMs: expect.any(Number),
        responseBytes: 11,
      },
    ]);
    const story = await gateway.audit(`&actionId=${actionId}`);
    expect(story.map(({ kind, outcome, reason }) => [kind, outcome, reason])).toEqual([
      ['execution', 'executed', null],
      ['change', 'changed', 'action.approved'],
      ['request', 'held', null],
    ]);
    expect(story[1]).toMatchObject({
      actor: { name: 'Ada' },
      agent: { name: 'support-bot' },
      service: { name: 'Shop' },
      details: { note: 'go on' },
    });
  });

  const refusals: [string, Partial<ProxyBody>, number, string, boolean][] = [
    ['403 of the egress guard', { targetUrl: '/v1/../admin' }, 403, 'Target path must start with service', true],
    ['404 for a target without a service', { targetUrl: '/nowhere' }, 404, 'No service found matching', false],
  ];
  it.each(refusals)('for a refusal: %s', async (_name, fields, status, reason, knownService) => {
    const targetUrl = gateway.upstream.url + String(fields.targetUrl);
    const records = await readRecords((headers) => gateway.proxy({ ...fields, targetUrl }, headers));
    expect(records).toEqual([
      expect.objectContaining({
        kind: 'request',
        outcome: 'refused',
        agent: { id: gateway.agent.id, name: 'support-bot' },
        service: knownService ? { id: gateway.service.id, name: 'Shop' } : null,
        method: 'GET',
        url: targetUrl,
        intent: 'look',
        reason: expect.stringContaining(reason),
        status,
        upstreamStatus: null,
      }),
    ]);
    expect(gateway.upstream.calls).toHaveLength(0);
  });

  it('for a refusal: 403 of a rule, by name', async () => {
    const rules = `/services/${gateway.service.id}/risk-rules`;
    const { id } = await gateway.admin<{ id: number }>(`POST ${rules}`, { name: 'frozen', effect: 'deny' });
    const records = await readRecords((headers) => gateway.proxy({}, headers));
    await gateway.admin(`DELETE ${rules}/${id}`);
    expect(records).toEqual([
      expect.objectContaining({ outcome: 'refused', status: 403, reason: 'Denied by risk rule "frozen"' }),
    ]);
  });

  it('for a refusal: 422 of a reused key', async () => {
    const post = { method: 'POST', targetUrl: target('/orders'), idempotencyKey: 'audited' };
    await gateway.proxy({ ...post, body: '1' });
    const records = await readRecords((headers) => gateway.proxy({ ...post, body: '2' }, headers));
    expect(records).toEqual([expect.objectContaining({ outcome: 'refused', status: 422 })]);
  });

  it('for a refusal to execute', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/held/2') });
    const records = await readRecords((headers) => gateway.execute(action_id, headers));
    expect(records).toEqual([
      expect.objectContaining({
        kind: 'execution',
        outcome: 'refused',
        status: 409,
        reason: 'Cannot execute action with status PENDING',
        url: `/proxy/execute/${action_id}`,
      }),
    ]);
  });

  it('for a refused agent key with a known prefix, and for no other key', async () => {
    const wrong = gateway.agentKey.slice(0, -8) + '00000000';
    const known = await readRecords((headers) => gateway.proxy({}, { ...headers, 'Agent-Key': wrong }));
    expect(known).toEqual([
      expect.objectContaining({
        outcome: 'refused',
        agent: { id: gateway.agent.id, name: 'support-bot' },
        status: 401,
        reason: 'Invalid Agent-Key',
      }),
    ]);
    const unknown = `agt_${'f'.repeat(64)}`;
    expect(await readRecords((headers) => gateway.proxy({}, { ...headers, 'Agent-Key': unknown }))).toEqual([]);
  });

  it('for every change on the dashboard: who, what and when, but never a secret', async () => {
    const secret = 'sk-another-planted-secret';
    const service = await gateway.createService({ name: 'Changed', credentials: { token: secret } });
    await gateway.admin(`PUT /services/${service.id}`, { name: 'Renamed' });
    await gateway.admin(`POST /services/${service.id}/credentials`, { credentials: { token: `${secret}-2` } });
    const { agent, apiKey } = await gateway.createAgent('changed-bot', [service.id]);
    await gateway.admin(`PUT /agents/${agent.id}`, { isActive: false });
    await gateway.admin(`PUT /agents/${agent.id}/services`, { serviceIds: [gateway.service.id] });
    const { apiKey: rotated } = await gateway.admin<{ apiKey: string }>(`POST /agents/${agent.id}/rotate-key`);
    await gateway.admin(`DELETE /agents/${agent.id}`);
    await gateway.admin(`DELETE /services/${service.id}`);
    const changes = await gateway.audit('&kind=change');
    expect(changes.slice(0, 9).map(({ reason, outcome, actor }) => [reason, outcome, actor?.name])).toEqual(
      [
        'service.deleted',
        'agent.deleted',
        'agent.key_rotated',
        'agent.scope_replaced',
        'agent.updated',
        'agent.created',
        'service.credentials_replaced',
        'service.updated',
        'service.created',
      ].map((reason) => [reason, 'changed', 'Ada']),
    );
    const everything = JSON.stringify(await gateway.audit());
    for (const text of [secret, SECRET, apiKey.slice(12), rotated.slice(12)]) expect(everything).not.toContain(text);
  });

  it('for log-ins, including failed ones', async () => {
    await expect(login(gateway.app, 'ada@example.com', 'wrong password!')).rejects.toThrow('401');
    await gateway.logInAgain();
    const [last, failed] = await gateway.audit('&kind=access');
    expect(last).toMatchObject({ outcome: 'changed', reason: 'login', actor: { name: 'Ada' } });
    expect(failed).toMatchObject({ outcome: 'denied', reason: 'login.failed' });
    expect(last.details).toMatchObject({ address: expect.stringContaining('127.0.0.1') });
  });

  it('before the request is sent: it is durable when the upstream gets the request', async () => {
    // Another connection sees only committed rows.
    const reader = new Client({ connectionString: gateway.app.databaseUrl });
    await reader.connect();
    const seen: number[] = [];
    gateway.upstream.answer((call, response) => {
      void reader
        .query("SELECT count(*)::int AS n FROM audit_records WHERE url = $1 AND kind <> 'change' AND status IS NULL", [
          gateway.upstream.url + call.path,
        ])
        .then(({ rows }) => {
          seen.push((rows as { n: number }[])[0].n);
          response.end('{}');
        });
    });
    const { action_id } = await gateway.hold({ targetUrl: target('/ahead/1') });
    await gateway.approve(action_id);
    gateway.model.answer({ score: 0 });
    await gateway.proxy({ targetUrl: target('/ahead/2') });
    await gateway.proxy({ method: 'POST', targetUrl: target('/ahead/3'), body: '{}', idempotencyKey: 'ahead' });
    await gateway.execute(action_id);
    await reader.end();
    expect(seen).toEqual([1, 1, 1]);
  });
});

describe('when a record can’t be written', () => {
  const refuse = () =>
    gateway.app.database.query(`
      CREATE FUNCTION refuse_record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full'; END $$;
      CREATE TRIGGER refuse_record BEFORE INSERT ON audit_records EXECUTE FUNCTION refuse_record();`);
  const accept = () => gateway.app.database.query('DROP FUNCTION IF EXISTS refuse_record CASCADE');
  afterEach(accept);

  it('nothing is forwarded, held, decided or executed', async () => {
    const waiting = (await gateway.hold({ targetUrl: target('/unrecorded/1') })).action_id;
    const approved = (await gateway.hold({ targetUrl: target('/unrecorded/2') })).action_id;
    await gateway.approve(approved);
    const post = { method: 'POST', targetUrl: target('/unrecorded/3'), body: '{}', idempotencyKey: 'unrecorded' };
    const before = await gateway.app.database.query<{ n: string }[]>('SELECT count(*) AS n FROM actions');
    await refuse();

    gateway.model.answer({ score: 0 });
    const answers = [await gateway.proxy(), await gateway.proxy(post), await gateway.execute(approved)];
    gateway.model.answer({ score: 1 });
    answers.push(await gateway.proxy({ method: 'DELETE', targetUrl: target('/unrecorded/4') }));
    for (const answer of answers) {
      expect(answer.status).toBe(500);
      expect(answer.json()).toEqual({ error: 'Internal server error', statusCode: 500 });
    }
    expect((await gateway.tryAdmin(`PATCH /approvals/${waiting}/approve`, {})).status).toBe(500);
    expect((await gateway.tryAdmin(`PUT /agents/${gateway.agent.id}`, { name: 'unseen' })).status).toBe(500);
    expect(gateway.upstream.calls).toHaveLength(0);

    await accept();
    expect(await gateway.app.database.query('SELECT count(*) AS n FROM actions')).toEqual(before);
    expect((await gateway.status(waiting)).json()).toMatchObject({ status: 'PENDING' });
    expect((await gateway.admin<Agent>(`GET /agents/${gateway.agent.id}`)).name).toBe('support-bot');
    // Nothing was sent, so the request may be retried.
    gateway.model.answer({ score: 0 });
    expect((await gateway.proxy(post)).status).toBe(200);
    expect((await gateway.execute(approved)).status).toBe(200);
  });
});
