import { DataSource, type EntityManager } from 'typeorm';
import type { Action, ActionPage, AuditPage, AuditRecord, AuditStats } from '#contracts';
import { AuditRecordEntity } from '#database';
import { applyFilter } from '../src/audit-reading/audit-filter.js';
import { StandingDenials } from '../src/approvals/standing-denials.js';
import { startGateway, type Gateway } from './support/gateway.js';

let gateway: Gateway;
let userId: number;
beforeAll(async () => {
  gateway = await startGateway();
  userId = gateway.service.userId;
});
afterAll(() => gateway.close());

const RECORDS = 25_000;
const ACTIONS = 11_000;
const NEEDLES = [1, 2, 3, 9_999, 10_000, 10_001, 17_777, RECORDS - 1];

/** The pages of a list, from the first to the last. */
async function walk<Page extends { nextCursor: string | null }>(route: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await gateway.admin<Page>(`GET ${route}${cursor && `&cursor=${cursor}`}`);
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

describe('a search in many audit records', () => {
  beforeAll(async () => {
    await gateway.app.database.query(
      `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, agent_id, agent_name, method, url, upstream_status)
       SELECT (lpad(to_hex($2::bigint - n * 1000), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
         to_timestamp(($2::bigint - n * 1000) / 1000.0), 'request', 'forwarded', $1, 7 + n % 2, 'many', 'GET',
         CASE WHEN n = ANY($4) THEN 'https://x/needle/' ELSE 'https://x/hay/' END || n, 200
       FROM generate_series(1, $3::int) n`,
      [userId, Date.now() - 3_600_000, RECORDS, NEEDLES],
    );
  });
  const names = (records: AuditRecord[]) => records.map(({ url }) => Number(url!.split('/').at(-1)));

  it.each([200, 3, 1])('finds all of them by pages of %d, without repeats, newest first', async (limit) => {
    const pages = await walk<AuditPage>(`/audit?q=needle&limit=${limit}`);
    expect(names(pages.flatMap(({ items }) => items))).toEqual(NEEDLES);
    expect(pages.every(({ items }) => items.length <= limit)).toBe(true);
  });

  it('reports how far back it looked when a page is not full, and continues', async () => {
    const pages = await walk<AuditPage>('/audit?q=nothing-has-this');
    expect(pages.length).toBeGreaterThanOrEqual(3);
    expect(pages.flatMap(({ items }) => items)).toEqual([]);
    const moments = pages.map(({ searchedBackTo }) => searchedBackTo);
    expect(moments.pop()).toBeNull();
    expect(moments.every((moment) => /^\d{4}-.*Z$/.test(moment!))).toBe(true);
    expect(moments).toEqual([...moments].sort().reverse());
    const full = await gateway.admin<AuditPage>('GET /audit?q=hay&limit=5');
    expect(full).toMatchObject({ searchedBackTo: null, nextCursor: expect.any(String) });
  });

  it('covers the records of an agent, a time range and other rare filters alike', async () => {
    const found = async (query: string) =>
      names((await walk<AuditPage>(`/audit?limit=50&${query}`)).flatMap(({ items }) => items));
    expect(await found('agentId=7&q=needle')).toEqual(NEEDLES.filter((n) => n % 2 === 0));
    expect(await found('agentId=8&q=needle&method=GET&statusClass=2')).toEqual(NEEDLES.filter((n) => n % 2 === 1));
    const [{ at }] = (await walk<AuditPage>('/audit?q=needle/17777')).flatMap(({ items }) => items);
    expect(await found(`q=needle&to=${at}`)).toEqual([RECORDS - 1]);
    expect(await found('statusClass=5')).toEqual([]);
    expect(await found('method=HEAD')).toEqual([]);
  });

  it('is complete in an export', async () => {
    const response = await fetch(`${gateway.url}/audit/export?format=ndjson&q=needle&kind=request`, {
      headers: { Authorization: `Bearer ${gateway.token}` },
    });
    const lines = (await response.text()).trim().split('\n');
    expect(names(lines.map((line) => JSON.parse(line) as AuditRecord))).toEqual(NEEDLES);
  });

  it('finds a request by its id without a full search', async () => {
    const answer = await gateway.proxy();
    const requestId = answer.headers.get('x-request-id')!;
    await gateway.app.settled();
    expect(await gateway.admin<AuditPage>(`GET /audit?requestId=${requestId}`)).toMatchObject({
      items: [{ requestId, kind: 'request' }],
      nextCursor: null,
      searchedBackTo: null,
    });
  });
});

describe('figures of a search in many records', () => {
  it('read a limited number of records, and report how far back that is', async () => {
    await gateway.app.database.query(
      `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, agent_id, agent_name, method, url, upstream_status)
       SELECT (lpad(to_hex($2::bigint - n * 1000), 12, '0') || '7000' || '9' || lpad(to_hex(n), 15, '0'))::uuid,
         to_timestamp(($2::bigint - n * 1000) / 1000.0), 'request', 'forwarded', $1, 9, 'more', 'GET', 'https://x/straw/' || n, 200
       FROM generate_series(1, 50000) n`,
      [userId, Date.now() - 10 * 3_600_000],
    );
    const all = await gateway.admin<AuditStats>('GET /audit/stats?q=needle');
    // The needles are newer than the straw, so all of them are among the records that are read.
    expect(all).toMatchObject({ requests: NEEDLES.length, countedBackTo: expect.any(String) });
    const straw = await gateway.admin<AuditStats>('GET /audit/stats?q=straw');
    expect(straw.requests).toBeGreaterThan(0);
    expect(straw.requests).toBeLessThanOrEqual(50_000 - RECORDS);
    const { items } = await gateway.admin<AuditPage>(`GET /audit?q=straw&limit=1&to=${straw.countedBackTo}`);
    expect(items).toHaveLength(1);
    const later = new Date(Date.parse(straw.countedBackTo!) + 5000).toISOString();
    const since = await gateway.admin<AuditStats>(`GET /audit/stats?q=needle&from=${later}`);
    expect(since).toMatchObject({ requests: NEEDLES.length, countedBackTo: null });
  });
});

describe('approvals among many decisions', () => {
  it('are found by looking at their own actions only, however many others were undone', async () => {
    const { database } = gateway.app;
    await database.query(
      `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, actor_id, actor_name, reason, action_id)
       SELECT (lpad(to_hex($2::bigint - n * 1000), 12, '0') || '7000' || 'a' || lpad(to_hex(n), 15, '0'))::uuid,
         to_timestamp(($2::bigint - n * 1000) / 1000.0), 'change', 'changed', $1, 7, 'Bo',
         CASE WHEN n <= 100 THEN 'action.approved' ELSE 'action.undone' END, gen_random_uuid()
       FROM generate_series(1, 20000) n`,
      [userId, Date.now() - 60_000],
    );
    await database.query('ANALYZE audit_records');
    const page = applyFilter(
      gateway.app.app.get(DataSource).getRepository(AuditRecordEntity).createQueryBuilder('r'),
      userId,
      {
        decision: 'approved',
        actorId: 7,
      },
    );
    const [sql, values] = page.orderBy('r.id', 'DESC').limit(51).getQueryAndParameters();
    const [{ 'QUERY PLAN': plan }] = await database.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values);
    const lookUps = allOf(plan[0].Plan).filter(({ Alias: alias = '' }) => /^u(_\d+)?$/.test(alias));
    expect(lookUps).not.toEqual([]);
    // The approval itself.
    expect(Math.max(...lookUps.map(rowsRead))).toBe(1);
    const { items } = await gateway.admin<AuditPage>('GET /audit?decision=approved&actorId=7&limit=200');
    expect(items).toHaveLength(100);
  });
});

describe('a search in many actions', () => {
  beforeAll(async () => {
    await gateway.app.database.query('ALTER TABLE actions DISABLE TRIGGER USER');
    await gateway.app.database.query(
      `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers,
         intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at)
       SELECT gen_random_uuid(), $1, $2, 'many', $3, 'many', (ARRAY['PENDING', 'DENIED', 'EXECUTED'])[n % 3 + 1], 'POST',
         CASE WHEN n % 2499 = 0 THEN 'https://x/needle/' ELSE 'https://x/hay/' END || n, '{}', 'look', 'look',
         (n % 97) / 100.0, '', 'model', $4::timestamptz - n * interval '1 second', $4::timestamptz + (n % 1000 + 1) * interval '1 hour'
       FROM generate_series(1, $5::int) n`,
      [userId, gateway.agent.id, gateway.service.id, new Date(), ACTIONS],
    );
    await gateway.app.database.query('ALTER TABLE actions ENABLE TRIGGER USER');
  });
  const names = (actions: Action[]) => actions.map(({ targetUrl }) => Number(targetUrl.split('/').at(-1)));

  it.each(['newest', 'risk', 'expiry'])('finds each match once, by %s', async (sort) => {
    for (const limit of [200, 1]) {
      const pages = await walk<ActionPage>(`/approvals?status=ALL&q=needle&sort=${sort}&limit=${limit}`);
      const found = pages.flatMap(({ items }) => items);
      expect(names(found).sort((a, b) => a - b)).toEqual([2499, 4998, 7497, 9996]);
      const keys = found.map(({ created_at, risk_score, expires_at }) =>
        sort === 'newest' ? -Date.parse(created_at) : sort === 'risk' ? -risk_score : Date.parse(expires_at),
      );
      expect(keys).toEqual([...keys].sort((a, b) => a - b));
    }
  });

  it.each([
    ['status=DENIED', (n: number) => n % 3 === 1],
    ['status=EXECUTED&sort=risk', (n: number) => n % 3 === 2],
    ['status=PENDING&sort=expiry', (n: number) => n % 3 === 0],
    ['status=PENDING&sort=urgent', (n: number) => n % 3 === 0],
    ['status=ALL&minRisk=0.9', (n: number) => n % 97 >= 90],
    ['status=ALL&minRisk=0.9&sort=risk', (n: number) => n % 97 >= 90],
    ['status=EXPIRED', () => false],
    ['status=ALL&method=DELETE', () => false],
  ])('finds every match of the filter %s together with an agent or a text', async (query, fits) => {
    const all = Array.from({ length: ACTIONS }, (_, index) => index + 1).filter(fits);
    for (const [more, expected] of [
      ['', all],
      [`&agentId=${gateway.agent.id}`, all],
      [`&serviceId=${gateway.service.id}`, all],
      ['&q=needle', all.filter((n) => n % 2499 === 0)],
    ] as const) {
      if (!more.includes('q=') && all.length > 3000) continue;
      const pages = await walk<ActionPage>(`/approvals?limit=200&${query}${more}`);
      const found = names(pages.flatMap(({ items }) => items));
      expect(found.sort((a, b) => a - b)).toEqual(expected);
    }
  });
});

describe('the latest of many equal requests', () => {
  const PLACE = { targetHash: 'place', denialHashes: ['equal'] };
  beforeAll(async () => {
    const { database } = gateway.app;
    await database.query('ALTER TABLE actions DISABLE TRIGGER USER');
    await database.query(
      `INSERT INTO actions (id, workspace_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers,
         intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at, target_hash, denial_hashes)
       SELECT gen_random_uuid(), $1, $2, 'many', $3, 'many', 'PENDING', 'POST', 'https://x/equal', '{}', 'look', n::text, 0.5, '', 'model',
         now() - n * interval '1 second', now() + interval '1 day', $4, $5
       FROM generate_series(1, $6::int) n`,
      [userId, gateway.agent.id, gateway.service.id, PLACE.targetHash, PLACE.denialHashes, ACTIONS],
    );
    await database.query('ALTER TABLE actions ENABLE TRIGGER USER');
    await database.query('ANALYZE actions');
  });
  const repeated = (tx: EntityManager) => gateway.app.app.get(StandingDenials).repeated(tx, gateway.agent.id, PLACE);

  it('is found', async () => {
    const [{ id }] = await gateway.app.database.query(
      `SELECT id FROM actions WHERE target_hash = 'place' ORDER BY created_at DESC LIMIT 1`,
    );
    expect(await repeated(gateway.app.database.manager)).toMatchObject({ id, status: 'PENDING' });
  });

  it('is found without reading the others', async () => {
    const read: unknown[] = [];
    const explain = async (sql: string, values: unknown[]) => {
      const [{ 'QUERY PLAN': plan }] = await gateway.app.database.query(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        values,
      );
      read.push(rowsRead(plan[0].Plan));
      return [];
    };
    await repeated({ query: explain } as unknown as EntityManager);
    expect(read).toEqual([1]);
  });
});

interface Plan {
  Alias?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** The rows that a plan reads from tables and indexes. */
const rowsRead = ({ Plans: plans = [], 'Actual Rows': rows, 'Rows Removed by Filter': others = 0 }: Plan): number =>
  plans.length === 0 ? rows + others : Math.max(...plans.map(rowsRead));

const allOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(allOf)];
