import type { AgentUsage, AuditStats, ServiceUsage } from '#contracts';
import { UsageFold } from '../src/figures/usage-fold.js';
import { startApp, type TestApp } from './support/start-app.js';
import { startGateway, type Gateway } from './support/gateway.js';
import { purgeAll } from './support/retention.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OUTCOMES = ['forwarded', 'executed', 'held', 'refused'] as const;
const RETENTION_DAYS = 5;

let gateway: Gateway;
let second: TestApp;
let userId: number;
let agentId: number;
let startMs: number;
let fold: (app: TestApp) => Promise<void>;
beforeAll(async () => {
  gateway = await startGateway({ AUDIT_RETENTION_DAYS: String(RETENTION_DAYS) });
  second = await startApp({ DATABASE_URL: gateway.app.databaseUrl });
  ({ userId } = gateway.service);
  agentId = gateway.agent.id;
  startMs = gateway.app.clock.nowMs() - 3 * DAY_MS;
  fold = (app) => app.app.get(UsageFold).fold();
  // Random in every counted column, for two users. More records than the fold reads in one batch, over some sixty hours
  // with a gap.
  await gateway.app.database.query(
    `INSERT INTO audit_records (id, at, kind, outcome, workspace_id, agent_id, agent_name, service_id, service_name, method, url,
       risk_score, upstream_status)
     SELECT (lpad(to_hex(ms), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid, to_timestamp(ms / 1000.0),
       (ARRAY['request', 'request', 'request', 'execution', 'change'])[1 + floor(random() * 5)::int],
       (ARRAY['forwarded', 'executed', 'held', 'refused', 'replayed', 'previewed', 'abandoned'])[1 + floor(random() * 7)::int],
       $1::int + (n % 10 = 0)::int * 1000, nullif($2::int + floor(random() ^ 3 * 14)::int, $2::int + 3), 'robot',
       nullif($3::int + floor(random() * 4)::int, $3::int + 2), 'shop', 'GET', 'https://x/' || n,
       CASE WHEN random() < 0.8 THEN floor(random() * 101) / 100 END, (ARRAY[200, 401, 503])[1 + floor(random() * 3)::int]
     FROM (SELECT n, ($4::float8 + floor(random() * $5) + CASE WHEN n % 3 = 0 THEN $6 ELSE 0 END)::bigint AS ms
           FROM generate_series(1, 24000) n) s`,
    [userId, agentId, gateway.service.id, startMs, 30 * HOUR_MS, 41 * HOUR_MS],
  );
});
afterAll(async () => {
  await second.close();
  await gateway.close();
});

interface Row {
  ms: number;
  kind: string;
  outcome: string;
  method: string;
  agent_id: number | null;
  service_id: number | null;
  risk_score: number | null;
  upstream_status: number | null;
}

/** All records that count, read directly from the table. */
let records: Row[];
async function readRecords(): Promise<void> {
  const rows = await gateway.app.database.query<(Row & { id: string })[]>(
    `SELECT id, kind, outcome, method, agent_id, service_id, risk_score, upstream_status FROM audit_records
     WHERE workspace_id = $1 AND kind IN ('request', 'execution')`,
    [userId],
  );
  records = rows
    .map((row) => ({ ...row, ms: parseInt(row.id.slice(0, 8) + row.id.slice(9, 13), 16) }))
    .filter(({ outcome }) => outcome !== 'previewed' && outcome !== 'abandoned')
    .filter(({ kind, outcome }) => kind !== 'execution' || outcome !== 'refused');
}
beforeEach(readRecords);

const counted = (fromMs: number, toMs: number, agent?: number): Row[] =>
  records.filter(({ ms, agent_id }) => ms >= fromMs && ms < toMs && (agent === undefined || agent_id === agent));

const countOutcomes = (rows: Row[]) =>
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]));

function expected(rows: Row[], bucket: 'hour' | 'day') {
  const group = <Key>(key: (row: Row) => Key): [Key, Row[]][] => {
    const groups = new Map<Key, Row[]>();
    for (const row of rows) {
      const known = groups.get(key(row));
      if (known) known.push(row);
      else groups.set(key(row), [row]);
    }
    return [...groups];
  };
  const width = bucket === 'hour' ? HOUR_MS : DAY_MS;
  const some = (row: object) => OUTCOMES.some((outcome) => (row as Record<string, number>)[outcome] > 0);
  return {
    overTime: group(({ ms }) => Math.floor(ms / width) * width)
      .sort(([a], [b]) => a - b)
      .map(([at, of]) => ({ at: new Date(at).toISOString(), ...countOutcomes(of) }))
      .filter(some),
    agents: group(({ agent_id }) => agent_id)
      .filter(([id]) => id !== null)
      .map(([id, of]) => ({ ...countOutcomes(of), agent: { id, name: id === agentId ? expect.any(String) : 'robot' } }))
      .filter(some)
      .map((row) => ({
        row,
        all: OUTCOMES.reduce((sum, key) => sum + (row as unknown as Record<string, number>)[key], 0),
      }))
      .sort((a, b) => b.all - a.all || a.row.agent.id! - b.row.agent.id!)
      .slice(0, 10)
      .map(({ row }) => row),
    risk: group((row) =>
      row.kind === 'request' && row.risk_score !== null ? Math.min(Math.floor(row.risk_score * 20), 19) : -1,
    )
      .filter(([step]) => step >= 0)
      .sort(([a], [b]) => a - b)
      .map(([step, of]) => ({ from: Math.round(step * 5) / 100, requests: of.length })),
  };
}

async function assertFigures(fromMs: number, toMs: number, agent?: number): Promise<void> {
  for (const bucket of ['hour', 'day'] as const) {
    const range = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}&bucket=${bucket}`;
    const stats = await gateway.admin<AuditStats>(`GET /audit/stats?${range}${agent ? `&agentId=${agent}` : ''}`);
    expect(stats).toMatchObject(expected(counted(fromMs, toMs, agent), bucket));
  }
}

/**
 * Ranges that begin and end within hours, on hour boundaries, a millisecond beside them, and outside of all records.
 */
async function assertAllRanges(): Promise<void> {
  const hour = Math.floor(startMs / HOUR_MS) * HOUR_MS;
  const ranges = [
    [startMs, startMs + 3 * DAY_MS],
    [hour + 5 * HOUR_MS, hour + 29 * HOUR_MS],
    [hour + 5 * HOUR_MS - 1, hour + 50 * HOUR_MS + 1],
    [hour + 5 * HOUR_MS + 1, hour + 6 * HOUR_MS - 1],
    [hour + 20.3 * HOUR_MS, hour + 20.4 * HOUR_MS],
    [hour + 35 * HOUR_MS, hour + 40 * HOUR_MS],
    [hour - 9 * HOUR_MS, hour],
    ...Array.from({ length: 4 }, () => [0, 0].map(() => startMs + Math.floor(Math.random() * 3 * DAY_MS)).sort()),
  ];
  for (const [from, to] of ranges) await assertFigures(from, to);
  await assertFigures(startMs, startMs + 3 * DAY_MS, agentId + 1);
  await assertFigures(hour + 5.5 * HOUR_MS, hour + 60 * HOUR_MS, agentId + 2);
}

const agentUsage = () => gateway.admin<AgentUsage[]>(`GET /audit/usage/agents?agentIds=${agentId}`);

async function assertUsage(): Promise<void> {
  const nowMs = gateway.app.clock.nowMs();
  const week = counted(nowMs - 7 * DAY_MS, nowMs + HOUR_MS, agentId);
  expect(await agentUsage()).toEqual([
    {
      agentId,
      requests7d: week.filter(({ kind }) => kind === 'request').length,
      held7d: week.filter(({ outcome }) => outcome === 'held').length,
      denied7d: 0,
    },
  ]);
  const sinceMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 23 * HOUR_MS;
  const day = counted(sinceMs, nowMs + HOUR_MS).filter((row) => row.service_id === gateway.service.id);
  // Counts rejections of the stored credentials, at whatever moment of this day they were replaced.
  const moments = [sinceMs - 1, sinceMs, nowMs, ...Array.from({ length: 5 }, () => sinceMs + Math.random() * DAY_MS)];
  for (const rotatedMs of moments.map(Math.floor)) {
    await gateway.app.database.query('UPDATE services SET credentials_rotated_at = to_timestamp($1 / 1000.0)', [
      rotatedMs,
    ]);
    expect(await gateway.admin<ServiceUsage[]>('GET /audit/usage/services')).toEqual([
      expect.objectContaining({
        serviceId: gateway.service.id,
        requests24h: day.length,
        unauthorized24h: day.filter((row) => row.upstream_status === 401 && row.ms >= rotatedMs).length,
        hourly: Array.from(
          { length: 24 },
          (_, hour) => day.filter(({ ms }) => Math.floor((ms - sinceMs) / HOUR_MS) === hour).length,
        ),
      }),
    ]);
  }
}

async function forgetFolded(): Promise<void> {
  await gateway.app.database.query('TRUNCATE usage_hours, usage_risk, usage_totals');
  await gateway.app.database.query(`UPDATE usage_fold SET folded_to = '00000000-0000-7000-8000-000000000000'`);
}

it('counts the records before any hour is folded', async () => {
  await assertAllRanges();
  await assertUsage();
});

it('counts the same when half of the hours are folded, and the fold ended within an hour', async () => {
  second.clock.advance({ ms: startMs + 22.4 * HOUR_MS - second.clock.nowMs() });
  await fold(second);
  await assertAllRanges();
  await assertUsage();
});

it('counts the same after two parallel folds, after repeated folds, and after a fold that was interrupted', async () => {
  second.clock.advance({ ms: gateway.app.clock.nowMs() - second.clock.nowMs() });
  await gateway.app.database.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped'; END $$`,
  );
  await gateway.app.database.query(
    'CREATE TRIGGER stop BEFORE INSERT ON usage_totals FOR EACH STATEMENT EXECUTE FUNCTION fail()',
  );
  await forgetFolded();
  await expect(fold(gateway.app)).rejects.toThrow('stopped');
  await gateway.app.database.query('DROP TRIGGER stop ON usage_totals');
  await Promise.all([fold(gateway.app), fold(second), fold(gateway.app), fold(second)]);
  await Promise.all([fold(gateway.app), fold(second)]);
  const [{ folded }] = await gateway.app.database.query<{ folded: boolean }[]>(
    `SELECT folded_to > (SELECT id FROM audit_records WHERE url LIKE 'https://x/%' ORDER BY id DESC LIMIT 1) AS folded FROM usage_fold`,
  );
  expect(folded).toBe(true);
  await assertAllRanges();
  await assertUsage();
});

it('counts the same at every moment while another instance folds', async () => {
  await forgetFolded();
  let folding = true;
  const done = fold(second).finally(() => (folding = false));
  do {
    await assertFigures(startMs, startMs + 3 * DAY_MS);
    await assertUsage();
  } while (folding);
  await done;
});

it('counts a request that has just been made, and never one whose claim was abandoned', async () => {
  const [before] = await agentUsage();
  await gateway.proxy();
  await gateway.app.settled();
  await readRecords();
  const [after] = await agentUsage();
  expect(after.requests7d).toBe(before.requests7d + 1);
  await assertUsage();
});

it.each(['America/New_York', 'Asia/Tokyo'])('counts days as a calendar in %s shows them', async (timeZone) => {
  await fold(gateway.app);
  const [fromMs, toMs] = [startMs, startMs + 3 * DAY_MS];
  const range = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}&bucket=day`;
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
  const days: Record<string, number> = {};
  for (const { ms, outcome, method } of counted(fromMs, toMs)) {
    if (outcome === 'forwarded' && method === 'GET') {
      const date = calendar.format(ms);
      days[date] = (days[date] ?? 0) + 1;
    }
  }
  // All methods are GET. With this filter, the hourly counts are not used.
  for (const filter of ['', '&method=GET']) {
    const { overTime } = await gateway.admin<AuditStats>(`GET /audit/stats?${range}&timeZone=${timeZone}${filter}`);
    const starts = overTime.map(({ at }) => clock.format(Date.parse(at)));
    expect(starts).toEqual(starts.map(() => '00:00:00'));
    const found = overTime.map(({ at, forwarded }) => [calendar.format(Date.parse(at)), forwarded]);
    expect(Object.fromEntries(found.filter(([, forwarded]) => forwarded !== 0))).toEqual(days);
  }
});

it('refuses an unknown time zone', async () => {
  const answer = await gateway.tryAdmin('GET /audit/stats?timeZone=Mars/Base');
  expect([answer.status, answer.body]).toMatchObject([
    400,
    { error: 'timeZone: must be a time zone like Europe/Berlin' },
  ]);
});

it('filters by service and text over all hours', async () => {
  const toMs = startMs + 3 * DAY_MS;
  const range = `from=${new Date(startMs).toISOString()}&to=${new Date(toMs).toISOString()}&bucket=day`;
  const rows = counted(startMs, toMs).filter((row) => row.service_id === gateway.service.id);
  const stats = await gateway.admin<AuditStats>(`GET /audit/stats?${range}&serviceId=${gateway.service.id}`);
  expect(stats).toMatchObject(expected(rows, 'day'));
  expect(await gateway.admin<AuditStats>(`GET /audit/stats?${range}&q=nothing`)).toMatchObject({ requests: 0 });
});

it('counts no records past their retention, before and after the deletion', async () => {
  await gateway.app.advance({ ms: (RETENTION_DAYS - 3) * DAY_MS + 15.5 * HOUR_MS });
  await gateway.logInAgain();
  await fold(gateway.app);
  const keptMs = gateway.app.clock.nowMs() - RETENTION_DAYS * DAY_MS;
  const figures = async () => {
    const range = `from=${new Date(startMs).toISOString()}&to=${new Date(startMs + 60 * HOUR_MS).toISOString()}`;
    return gateway.admin<AuditStats>(`GET /audit/stats?${range}&bucket=day`);
  };
  const early = await figures();
  await purgeAll(gateway.app.app);
  const late = await figures();
  await readRecords();
  // Records are deleted by whole months.
  const rows = counted(keptMs, startMs + 60 * HOUR_MS);
  expect(rows.length).toBeGreaterThan(1000);
  // Each request moves the limit of retention by a few milliseconds.
  expect(Math.abs(early.requests - late.requests)).toBeLessThan(50);
  const exact = expected(rows, 'day');
  expect(late.agents.map(({ agent }) => agent.id)).toEqual(exact.agents.map(({ agent }) => agent.id));
  const sum = (of: { requests: number }[]) => of.reduce((total, { requests }) => total + requests, 0);
  expect(Math.abs(sum(late.risk) - sum(exact.risk))).toBeLessThan(50);
  const [{ count }] = await gateway.app.database.query<{ count: string }[]>(
    'SELECT count(*) FROM usage_hours h WHERE hour < $1 AND workspace_id = $2 AND agent_id = 0 AND service_id = 0',
    [new Date(keptMs), userId],
  );
  expect(Number(count)).toBe(1);
});
