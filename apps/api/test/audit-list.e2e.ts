import type { Agent, AuditPage, AuditRecord, Service } from '#contracts';
import { login, register } from './support/accounts.js';
import { parseCsv } from './support/csv.js';
import { eventually } from './support/eventually.js';
import { startGateway, type Gateway } from './support/gateway.js';

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
    // Ids are ordered by millisecond: the two halves must not share one.
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

  it('pages by a cursor, newest first, without gaps or repeats', async () => {
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
    'actorId=0',
    'decision=maybe',
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
  ])('refuses ?%s with 400, as does every endpoint with the same filters', async (query) => {
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
    // `text` would drop the byte order mark.
    return { response, text: Buffer.from(await response.arrayBuffer()).toString() };
  };

  it('streams CSV as in RFC 4180, quoted so that no spreadsheet reads it as formulas', async () => {
    const hostile = [
      '=HYPERLINK("http://evil")',
      '+1',
      '-1',
      '@SUM(A1)',
      '\tx',
      '\rx',
      '\nx',
      '＝1',
      'a,"b"\r\nc',
      'plain',
    ];
    for (const intent of hostile) await gateway.proxy({ targetUrl: target('/csv'), intent });
    await gateway.app.settled();
    const { response, text } = await download(`format=csv&q=${encodeURIComponent(target('/csv'))}`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="agent-gateway-audit-\d{4}-\d\d-\d\d\.csv"$/,
    );
    // With the mark, Excel reads it as UTF-8.
    expect(text.startsWith('\uFEFFid,at,')).toBe(true);
    const [header, ...rows] = parseCsv(text.slice(1));
    const intents = rows.map((row) => row[header.indexOf('intent')]).reverse();
    expect(intents).toEqual([
      `'=HYPERLINK("http://evil")`,
      `'+1`,
      `'-1`,
      `'@SUM(A1)`,
      `'\tx`,
      `'\rx`,
      `'\nx`,
      `'＝1`,
      'a,"b"\r\nc',
      'plain',
    ]);
    expect(rows.every((row) => row.length === header.length)).toBe(true);
    expect(rows[0][header.indexOf('status')]).toBe('200');
    expect(rows[0][header.indexOf('agent')]).toBe('support-bot');
  });

  it('streams all records of the list as NDJSON', async () => {
    const { response, text } = await download('format=ndjson&outcome=held');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditRecord);
    expect(records).toEqual(await gateway.audit('&outcome=held'));
  });

  it('continues past one database page, in order', async () => {
    await gateway.app.database.query(
      `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, url)
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

  it('is recorded in the audit log, and needs a format', async () => {
    await download('format=csv&q=nothing');
    const [record] = await gateway.audit('&kind=change');
    expect(record).toMatchObject({ reason: 'audit.exported', details: { format: 'csv', q: 'nothing' } });
    expect((await gateway.tryAdmin('GET /audit/export')).body).toEqual({
      error: expect.stringMatching(/^format: /),
      statusCode: 400,
    });
  });
});

it('returns one record by its id, but not to another user', async () => {
  await gateway.proxy();
  const [record] = await gateway.audit('&outcome=forwarded');
  expect(await gateway.admin(`GET /audit/${record.id}`)).toEqual(record);
  for (const id of ['00000000-0000-7000-8000-000000000000', 'nonsense']) {
    const answer = await gateway.tryAdmin(`GET /audit/${id}`);
    expect([answer.status, answer.body.error]).toEqual([404, 'Audit record not found']);
  }
});
