import { Client } from 'pg';
import type { AgentUsage, Agent, AuditPage, AuditRecord, AuditStats, Service, Usage } from '#contracts';
import { Retention } from '../src/audit/retention.js';
import { login, register } from './support/accounts.js';
import { eventually } from './support/eventually.js';
import { SECRET, startGateway, type Gateway, type ProxyBody } from './support/gateway.js';

let gateway: Gateway;
let stranger: string;
beforeAll(async () => {
  gateway = await startGateway({ ALLOW_REGISTRATION: 'true', AUDIT_RETENTION_DAYS: '30' });
  await register(gateway.app, 'eve@example.com');
  stranger = (await login(gateway.app, 'eve@example.com')).accessToken;
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
  details: null,
  actionId: null,
  reason: null,
  error: null,
};

/** The records of one request, which is known by its id. */
async function recordsOf(send: (headers: Record<string, string>) => Promise<unknown>): Promise<AuditRecord[]> {
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

  it('for a forwarded request, with what came of it', async () => {
    gateway.upstream.answer((_call, response) => response.writeHead(404).end('not here'));
    const records = await recordsOf((headers) =>
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

  it('for one whose upstream did not answer, with the error', async () => {
    gateway.upstream.answer((_call, response) => void response.socket?.destroy());
    const records = await recordsOf((headers) => gateway.proxy({}, headers));
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

  it('for a held request, its decision and its execution, tied together by the action', async () => {
    let actionId = '';
    const held = await recordsOf(async (headers) => {
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
        actionId,
        status: 428,
        upstreamStatus: null,
        durationMs: null,
        responseBytes: null,
      },
    ]);
    await gateway.approve(actionId, 'go on');
    const executed = await recordsOf((headers) => gateway.execute(actionId, headers));
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
        actionId,
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
    ['404 for a target of no service', { targetUrl: '/nowhere' }, 404, 'No service found matching', false],
  ];
  it.each(refusals)('for a refusal: %s', async (_name, fields, status, reason, knownService) => {
    const targetUrl = gateway.upstream.url + String(fields.targetUrl);
    const records = await recordsOf((headers) => gateway.proxy({ ...fields, targetUrl }, headers));
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
    const records = await recordsOf((headers) => gateway.proxy({}, headers));
    await gateway.admin(`DELETE ${rules}/${id}`);
    expect(records).toEqual([
      expect.objectContaining({ outcome: 'refused', status: 403, reason: 'Denied by risk rule "frozen"' }),
    ]);
  });

  it('for a refusal: 422 of a reused key', async () => {
    const post = { method: 'POST', targetUrl: target('/orders'), idempotencyKey: 'audited' };
    await gateway.proxy({ ...post, body: '1' });
    const records = await recordsOf((headers) => gateway.proxy({ ...post, body: '2' }, headers));
    expect(records).toEqual([expect.objectContaining({ outcome: 'refused', status: 422 })]);
  });

  it('for a refusal to execute', async () => {
    const { action_id } = await gateway.hold({ targetUrl: target('/held/2') });
    const records = await recordsOf((headers) => gateway.execute(action_id, headers));
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

  it('for a refused agent key whose prefix is known, and for no other', async () => {
    const wrong = gateway.agentKey.slice(0, -8) + '00000000';
    const known = await recordsOf((headers) => gateway.proxy({}, { ...headers, 'Agent-Key': wrong }));
    expect(known).toEqual([
      expect.objectContaining({
        outcome: 'refused',
        agent: { id: gateway.agent.id, name: 'support-bot' },
        status: 401,
        reason: 'Invalid Agent-Key',
      }),
    ]);
    const unknown = `agt_${'f'.repeat(64)}`;
    expect(await recordsOf((headers) => gateway.proxy({}, { ...headers, 'Agent-Key': unknown }))).toEqual([]);
  });

  it('for every change on the dashboard: who, what, when, and never a secret', async () => {
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

  it('for log-ins, failed ones too', async () => {
    await expect(login(gateway.app, 'ada@example.com', 'wrong password!')).rejects.toThrow('401');
    await gateway.logInAgain();
    const [last, failed] = await gateway.audit('&kind=access');
    expect(last).toMatchObject({ outcome: 'changed', reason: 'login', actor: { name: 'Ada' } });
    expect(failed).toMatchObject({ outcome: 'denied', reason: 'login.failed' });
    expect(last.details).toMatchObject({ address: expect.stringContaining('127.0.0.1') });
  });

  it('in time: it is durable when the request reaches the upstream', async () => {
    // Another connection sees only what is committed.
    const reader = new Client({ connectionString: gateway.app.databaseUrl });
    await reader.connect();
    const seen: number[] = [];
    gateway.upstream.answer((call, response) => {
      void reader
        .query('SELECT count(*)::int AS n FROM audit_records WHERE url = $1 AND status IS NULL', [
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

describe('when the record can’t be written', () => {
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
    // What failed may be tried again: nothing was sent.
    gateway.model.answer({ score: 0 });
    expect((await gateway.proxy(post)).status).toBe(200);
    expect((await gateway.execute(approved)).status).toBe(200);
  });
});

describe('GET /audit', () => {
  let service: Service;
  let agent: Agent;
  let actionId: string;
  let midway: string;
  beforeAll(async () => {
    service = await gateway.createService({ name: 'Archive', baseUrl: `${gateway.upstream.url}/archive` });
    const created = await gateway.createAgent('archivist', [service.id]);
    agent = created.agent as Agent;
    const send = (method: string, path: string, intent: string, status = 200) => {
      gateway.upstream.answer((_call, response) => response.writeHead(status).end('{}'));
      gateway.model.answer({ score: method === 'DELETE' ? 1 : 0 });
      const body = { method, targetUrl: gateway.upstream.url + path, intent, idempotencyKey: `k${++serial}` };
      return gateway.proxy(body, { 'Agent-Key': created.apiKey });
    };
    await send('GET', '/archive/a', 'first 100%');
    await send('POST', '/archive/b', 'second_one', 503);
    // Ids are ordered by milliseconds: the two halves must not share one.
    midway = new Date(Date.now() + 2).toISOString();
    await eventually(() => new Date().toISOString() > midway);
    actionId = (await send('DELETE', '/archive/c', 'third')).json<{ action_id: string }>().action_id;
    await send('GET', '/elsewhere', 'fourth');
    await gateway.app.settled();
  });
  const found = async (query: string): Promise<(string | null)[]> =>
    (await gateway.audit(`&agentId=${agent.id}&kind=request${query}`)).map(({ intent }) => intent);

  it.each([
    ['', ['fourth', 'third', 'second_one', 'first 100%']],
    ['&outcome=forwarded', ['second_one', 'first 100%']],
    ['&outcome=held', ['third']],
    ['&outcome=refused', ['fourth']],
    ['&method=POST', ['second_one']],
    ['&statusClass=5', ['second_one']],
    ['&statusClass=2', ['first 100%']],
    ['&q=ARCHIVE/', ['third', 'second_one', 'first 100%']],
    ['&q=100%25', ['first 100%']],
    ['&q=d_o', ['second_one']],
    ['&q=No%20service%20found', ['fourth']],
  ])('filters by %s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('filters by service, action and time', async () => {
    expect(await found(`&serviceId=${service.id}`)).toEqual(['third', 'second_one', 'first 100%']);
    expect(await found(`&actionId=${actionId}`)).toEqual(['third']);
    expect(await found(`&from=${midway}`)).toEqual(['fourth', 'third']);
    expect(await found(`&to=${midway}`)).toEqual(['second_one', 'first 100%']);
    expect(await found(`&from=${midway}&to=${midway}`)).toEqual([]);
    expect(await found(`&from=2001-01-01`)).toHaveLength(4);
  });

  it('pages by a cursor, newest first, without gap or repetition', async () => {
    const whole = (await gateway.audit()).map(({ id }) => id);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: AuditPage = await gateway.admin<AuditPage>(
        `GET /audit?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      paged.push(...page.items.map(({ id }) => id));
      cursor = paged.length < whole.length ? page.nextCursor : null;
    }
    expect(paged.slice(0, whole.length)).toEqual(whole);
    expect(whole).toEqual([...whole].sort().reverse());
  });

  it('shows nothing of another user', async () => {
    const page = await gateway.tryAdmin<AuditPage>('GET /audit?limit=200', undefined, stranger);
    expect(page.body.items.every(({ actor }) => actor?.name === 'eve' || actor?.name === 'eve@example.com')).toBe(true);
    expect(JSON.stringify(page.body)).not.toContain('support-bot');
    const foreign = await gateway.tryAdmin<AuditPage>(`GET /audit?agentId=${agent.id}`, undefined, stranger);
    expect(foreign.body.items).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=201',
    'kind=other',
    'outcome=other',
    'method=BREW',
    'statusClass=6',
    'agentId=x',
    'actionId=x',
    'from=yesterday',
    'from=2026-W01',
    'to=20261121',
    'to=2026-02-30',
    'from=9999999-01-01T00:00:00Z',
    `requestId=${'x'.repeat(65)}`,
    'requestId=%00',
    `q=${'x'.repeat(201)}`,
    'cursor=x',
    `cursor=${Buffer.from('["------------------------------------"]').toString('base64url')}`,
  ])('and every endpoint with its filters refuses ?%s with 400', async (query) => {
    const paths = ['/audit', ...(/^(limit|cursor)/.test(query) ? [] : ['/audit/stats', '/audit/export'])];
    for (const path of paths) {
      const answer = await gateway.tryAdmin(`GET ${path}?format=csv&${query}`);
      expect([path, answer.body]).toEqual([path, { error: expect.any(String), statusCode: 400 }]);
    }
  });
});

describe('GET /audit/export', () => {
  const download = async (query: string) => {
    const response = await fetch(`${gateway.url}/audit/export?${query}`, {
      headers: { Authorization: `Bearer ${gateway.token}` },
    });
    return { response, text: await response.text() };
  };

  it('streams CSV that no spreadsheet takes for formulas, quoted by RFC 4180', async () => {
    const hostile = ['=HYPERLINK("http://evil")', '+1', '-1', '@SUM(A1)', '\tx', '\rx', 'a,"b"\r\nc', 'plain'];
    for (const intent of hostile) await gateway.proxy({ targetUrl: target('/csv'), intent });
    await gateway.app.settled();
    const { response, text } = await download(`format=csv&q=${encodeURIComponent(target('/csv'))}`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="agent-gateway-audit-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [header, ...rows] = parseCsv(text);
    const intents = rows.map((row) => row[header.indexOf('intent')]).reverse();
    expect(intents).toEqual([
      `'=HYPERLINK("http://evil")`,
      `'+1`,
      `'-1`,
      `'@SUM(A1)`,
      `'\tx`,
      `'\rx`,
      'a,"b"\r\nc',
      'plain',
    ]);
    expect(rows.every((row) => row.length === header.length)).toBe(true);
    expect(rows[0][header.indexOf('status')]).toBe('200');
    expect(rows[0][header.indexOf('agent')]).toBe('support-bot');
  });

  it('streams NDJSON: the records of the list, all of them', async () => {
    const { response, text } = await download('format=ndjson&outcome=held');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditRecord);
    expect(records).toEqual(await gateway.audit('&outcome=held'));
  });

  it('goes beyond one page of the database, in order', async () => {
    await gateway.app.database.query(
      `INSERT INTO audit_records (id, at, kind, outcome, user_id, url)
       SELECT ('018bcfe5-68' || lpad(to_hex(n), 2, '0') || '-7000-8000-' || lpad(to_hex(m), 12, '0'))::uuid,
              '2023-11-14', 'request', 'refused', (SELECT id FROM users ORDER BY id LIMIT 1), 'bulk'
       FROM generate_series(0, 24) n, generate_series(0, 99) m`,
    );
    const { text } = await download('format=ndjson&to=2024-01-01T00:00:00Z');
    const exported = text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as AuditRecord).id);
    expect(exported).toHaveLength(2500);
    expect(exported).toEqual([...new Set(exported)].sort().reverse());
  });

  it('is recorded itself, and needs a format', async () => {
    await download('format=csv&q=nothing');
    const [record] = await gateway.audit('&kind=change');
    expect(record).toMatchObject({ reason: 'audit.exported', details: { format: 'csv', q: 'nothing' } });
    expect((await gateway.tryAdmin('GET /audit/export')).body).toEqual({
      error: expect.stringMatching(/^format: /),
      statusCode: 400,
    });
  });
});

describe('figures', () => {
  it('GET /audit/stats counts the requests of the filter', async () => {
    const { agent, apiKey } = await gateway.createAgent('counted-bot', [gateway.service.id]);
    const send = async (method: string, score: number, path: string) => {
      gateway.model.answer({ score });
      return gateway.proxy({ method, targetUrl: target(path) }, { 'Agent-Key': apiKey });
    };
    const actionOf = async (path: string) => (await send('DELETE', 1, path)).json<{ action_id: string }>().action_id;
    await send('GET', 0, '/counted/1');
    await send('GET', 0.4, '/counted/2');
    await gateway.proxy({ targetUrl: `${gateway.upstream.url}/nowhere` }, { 'Agent-Key': apiKey });
    const [approved, denied] = [await actionOf('/counted/3'), await actionOf('/counted/4')];
    await actionOf('/counted/5');
    await gateway.approve(approved);
    await gateway.deny(denied);
    await gateway.execute(approved, { 'Agent-Key': apiKey });
    await gateway.app.settled();

    const stats = await gateway.admin<AuditStats>(`GET /audit/stats?agentId=${agent.id}`);
    const outcomes = { forwarded: 2, executed: 1, held: 3, refused: 1 };
    expect(stats).toEqual({
      requests: 6,
      held: 3,
      approved: 1,
      denied: 1,
      medianDecisionSeconds: expect.any(Number),
      bucket: 'day',
      overTime: expect.any(Array),
      decisionTimes: [
        { at: expect.any(String), decided: 2, p50Seconds: expect.any(Number), p95Seconds: expect.any(Number) },
      ],
      agents: [{ agent: { id: agent.id, name: 'counted-bot' }, ...outcomes }],
      risk: [
        { from: 0, requests: 1 },
        { from: 0.3, requests: 1 },
        { from: 0.9, requests: 3 },
      ],
      riskThreshold: 0.5,
    });
    // Midnight may pass in between.
    expect(sum(stats.overTime)).toEqual(outcomes);
    const hourly = await gateway.admin<AuditStats>(`GET /audit/stats?agentId=${agent.id}&bucket=hour`);
    expect(hourly.bucket).toBe('hour');
    expect(hourly.overTime.every(({ at }) => /T\d\d:00:00\.000Z$/.test(at))).toBe(true);
    expect(sum(hourly.overTime)).toEqual(outcomes);
    const past = await gateway.admin<AuditStats>(`GET /audit/stats?from=2020-01-01&to=2020-01-02`);
    expect(past).toMatchObject({ requests: 0, bucket: 'hour', overTime: [], medianDecisionSeconds: null });
  });

  it('GET /audit/usage tells how much each service and agent is used', async () => {
    const service = await gateway.createService({ name: 'Used', baseUrl: `${gateway.upstream.url}/used` });
    const { agent, apiKey } = await gateway.createAgent('using-bot', [service.id]);
    await gateway.admin(`POST /services/${service.id}/risk-rules`, { name: 'r', effect: 'guidance', instruction: 'x' });
    await gateway.admin(`POST /services/${service.id}/documentation`, { type: 'text', title: 't', content: 'c' });
    const send = (method = 'GET') =>
      gateway.proxy({ method, targetUrl: `${service.baseUrl}/x/${++serial}` }, { 'Agent-Key': apiKey });
    await send();
    gateway.upstream.answer((_call, response) => response.writeHead(401).end());
    await send();
    gateway.model.answer({ score: 1 });
    const { action_id } = (await send('DELETE')).json<{ action_id: string }>();
    await gateway.deny(action_id);
    await gateway.app.settled();

    const usage = await gateway.admin<Usage>('GET /audit/usage');
    const used = usage.services.find(({ serviceId }) => serviceId === service.id)!;
    expect(used).toEqual({
      serviceId: service.id,
      agents: 1,
      documents: 1,
      rules: 1,
      requests24h: 3,
      hourly: expect.any(Array),
      unauthorized24h: 1,
    });
    expect(used.hourly).toHaveLength(24);
    expect(used.hourly.at(-1)).toBe(3);
    expect(usage.agents.find(({ agentId }) => agentId === agent.id)).toEqual<AgentUsage>({
      agentId: agent.id,
      requests7d: 3,
      held7d: 1,
      denied7d: 1,
    });
    const other = await gateway.tryAdmin<Usage>('GET /audit/usage', undefined, stranger);
    expect(other.body).toEqual({ services: [], agents: [] });
  });

  function sum(buckets: AuditStats['overTime']) {
    const total = { forwarded: 0, executed: 0, held: 0, refused: 0 };
    for (const bucket of buckets) {
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += bucket[key];
    }
    return total;
  }
});

/** Last: it moves the clock. */
describe('retention', () => {
  it('deletes records and closed actions past their days, and nothing that is open or younger', async () => {
    const retention = gateway.app.app.get(Retention);
    const pending = (await gateway.hold({ targetUrl: target('/kept/1') })).action_id;
    const denied = (await gateway.hold({ targetUrl: target('/kept/2') })).action_id;
    await gateway.deny(denied);
    await retention.purge();
    expect((await gateway.audit(`&actionId=${denied}`)).length).toBe(2);

    gateway.app.clock.advance({ hours: 24 * 30 + 1 });
    await gateway.logInAgain();
    await gateway.proxy({ targetUrl: target('/young') });
    expect(await retention.purge()).toBeGreaterThan(10);
    const left = await gateway.audit();
    expect(left.map(({ kind }) => kind).sort()).toEqual(['access', 'request']);
    const rows = await gateway.app.database.query<{ id: string }[]>('SELECT id FROM actions');
    expect(rows.map(({ id }) => id)).toContain(pending);
    expect(rows.map(({ id }) => id)).not.toContain(denied);
    expect(await retention.purge()).toBe(0);
  });
});

/** By RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/gy;
  for (let match; field.lastIndex < text.length && (match = field.exec(text));) {
    row.push(match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
    if (match[2] === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last line is not complete');
  return rows;
}

it('reads one record by its id, and no other user can', async () => {
  await gateway.proxy();
  const [record] = await gateway.audit('&outcome=forwarded');
  expect(await gateway.admin(`GET /audit/${record.id}`)).toEqual(record);
  for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense']) {
    const answer = await gateway.tryAdmin(`GET /audit/${id}`);
    expect([answer.status, answer.body.error]).toEqual([404, 'Audit record not found']);
  }
});
