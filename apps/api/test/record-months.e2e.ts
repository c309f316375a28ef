import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { migrate, parseConnection } from '#database';
import { dataSourceOptions } from '../../../libs/database/src/data-source.js';
import { createFunctions } from '../../../libs/database/src/functions.js';
import { monthStart, RecordMonths } from '../src/audit/record-months.js';
import { firstUuidV7, uuidV7 } from '../src/platform/uuid-v7.js';
import { createDatabase, createMigratedDatabase } from './support/databases.js';

/** The migration before `audit_records` has partitions. */
const BEFORE = 'RejectedCredentials1764431000030';
const MIGRATION = 'RecordPartitions1764500000000';

const DAY_MS = 86_400_000;
const INSERT = `
  INSERT INTO audit_records (id, at, kind, outcome, workspace_id)
  SELECT id, now(), 'request', 'forwarded', 1 FROM json_populate_recordset(NULL::audit_records, $1::json) ON CONFLICT (id) DO NOTHING`;

let source: DataSource;
const sql = <Row>(text: string, values?: unknown[]): Promise<Row[]> => source.query<Row[]>(text, values);
const insert = (...ids: string[]): Promise<unknown> => sql(INSERT, [JSON.stringify(ids.map((id) => ({ id })))]);
const idsIn = async (table: string): Promise<string[]> =>
  (await sql<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);
/** `name: from to`, the oldest first. */
const partitions = async (): Promise<string[]> => {
  const rows = await sql<{ name: string; from: string; to: string }>(`
    SELECT c.relname AS name, substring(b.text FROM 'FROM \\(''?([^'')]+)') AS from, substring(b.text FROM 'TO \\(''?([^'')]+)') AS to
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) AS b(text)
    WHERE i.inhparent = 'audit_records'::regclass`);
  const key = ({ from }: { from: string }) => (from === 'MINVALUE' ? '' : from);
  return rows
    .sort((one, other) => (key(one) < key(other) ? -1 : 1))
    .map(({ name, from, to }) => `${name}: ${from} ${to}`);
};
const month = (later: number): string => firstUuidV7(monthStart(new Date(), later));
const nameOf = (later: number): string =>
  `audit_records_${new Date(monthStart(new Date(), later)).toISOString().slice(0, 7).replace('-', '_')}`;

async function openAt(url: string, last?: string): Promise<DataSource> {
  const options = dataSourceOptions(parseConnection(url), 4);
  const all = options.migrations as (new () => MigrationInterface)[];
  const end = last === undefined ? all.length : all.findIndex(({ name }) => name === last) + 1;
  const opened = new DataSource({ ...options, migrations: all.slice(0, end) });
  await opened.initialize();
  return opened;
}

afterEach(() => source.destroy());

describe('the migration', () => {
  let url: string;
  beforeEach(async () => {
    url = await createDatabase();
    const before = await openAt(url, BEFORE);
    await before.runMigrations({ transaction: 'each' });
    await createFunctions(before);
    await before.destroy();
    source = await openAt(url);
  });
  const filenode = async (table: string): Promise<number> =>
    (await sql<{ node: number }>(`SELECT pg_relation_filenode('${table}') AS node`))[0].node;
  const migrationClass = () =>
    (source.options.migrations as (new () => MigrationInterface)[]).find(({ name }) => name === MIGRATION)!;
  const up = async (query: (text: string) => void = () => undefined): Promise<void> => {
    const runner = source.createQueryRunner();
    const run = runner.query.bind(runner);
    runner.query = async (text: string, values?: unknown[]) => {
      query(text);
      return run(text, values);
    };
    try {
      await new (migrationClass())().up(runner);
    } finally {
      await runner.release();
    }
  };

  it('makes the table the first partition without writing a row, while the release before writes', async () => {
    const old = [firstUuidV7(Date.now() - 400 * DAY_MS), '00000000-0000-7000-8000-000000000001'];
    await insert(...old);
    await sql('GRANT SELECT ON audit_records TO PUBLIC');
    const node = await filenode('audit_records');
    const written: string[] = [];
    let isOver = false;
    const writer = (async () => {
      while (!isOver) {
        const id = uuidV7(Date.now());
        await insert(id, ...old);
        written.push(id);
        await setImmediate();
      }
    })();
    while (written.length < 5) await setImmediate();
    await migrate(parseConnection(url));
    const during = written.length;
    while (written.length < during + 5) await setImmediate();
    isOver = true;
    await writer;
    expect(await filenode('audit_records_first')).toBe(node);
    const [{ granted }] = await sql<{ granted: string }>(
      `SELECT relacl::text AS granted FROM pg_class WHERE oid = 'audit_records'::regclass`,
    );
    expect(granted).toContain(',=r/');
    expect(await idsIn('audit_records')).toEqual([...old, ...written].sort());
    const [first, rest, ...others] = await partitions();
    expect(others).toEqual([]);
    const bound = first.split(' ').at(-1)!;
    expect([first, rest]).toEqual([`audit_records_first: MINVALUE ${bound}`, `audit_records_rest: ${bound} MAXVALUE`]);
    // From a month ahead.
    expect([month(1), month(2)]).toContain(bound);
    expect(await sql(`SELECT count(*)::int AS count FROM pg_constraint WHERE conname = 'audit_records_range'`)).toEqual(
      [{ count: 0 }],
    );
    const indexes = await sql<{ valid: boolean }>(
      `SELECT indisvalid AS valid FROM pg_index WHERE indrelid = 'audit_records'::regclass`,
    );
    expect(indexes.length).toBe(10);
    expect(indexes.every(({ valid }) => valid)).toBe(true);
  });

  it.each(['VALIDATE CONSTRAINT', 'LOCK TABLE'])('begins again where it was killed before %s', async (step) => {
    await insert(uuidV7(Date.now()));
    await expect(
      up((text) => {
        if (text.includes(step)) throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    await insert(uuidV7(Date.now()));
    await up();
    // It was killed before TypeORM stored that it is done.
    await up();
    expect(await partitions()).toHaveLength(2);
    expect(await idsIn('audit_records')).toHaveLength(2);
  });

  it('can be undone', async () => {
    await insert(uuidV7(Date.now()));
    const schema = async () => [
      await sql(`SELECT indexdef FROM pg_indexes WHERE tablename = 'audit_records' ORDER BY 1`),
      await sql(`SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'audit_records'::regclass ORDER BY 1`),
    ];
    const before = await schema();
    await up();
    const runner = source.createQueryRunner();
    await new (migrationClass())().down(runner);
    await runner.release();
    expect(await schema()).toEqual(before);
    expect(await idsIn('audit_records')).toHaveLength(1);
  });
});

describe('the months of records', () => {
  let url: string;
  let months: RecordMonths;
  beforeEach(async () => {
    url = await createMigratedDatabase();
    source = await openAt(url);
    months = new RecordMonths(source);
  });

  it('exist two months ahead, cut by several instances at once', async () => {
    await Promise.all([months.cutAhead(), months.cutAhead(), new RecordMonths(source).cutAhead()]);
    const all = await partitions();
    expect(all.at(-1)).toBe(`audit_records_rest: ${month(3)} MAXVALUE`);
    expect(all.at(-2)).toBe(`${nameOf(2)}: ${month(2)} ${month(3)}`);
    const ids = [0, 1, 2, 3, 9].map((later) => firstUuidV7(monthStart(new Date(), later) + DAY_MS));
    await insert(...ids);
    expect(await idsIn(nameOf(2))).toEqual([ids[2]]);
    expect(await idsIn('audit_records_rest')).toEqual(ids.slice(3));
    await months.cutAhead();
    expect(await partitions()).toEqual(all);
  });

  it('take over what a clock far ahead has written', async () => {
    const ahead = firstUuidV7(monthStart(new Date(), 2) + DAY_MS);
    const farAhead = firstUuidV7(monthStart(new Date(), 7));
    await insert(ahead, farAhead);
    await months.cutAhead();
    expect(await idsIn(nameOf(2))).toEqual([ahead]);
    expect(await idsIn('audit_records_rest')).toEqual([farAhead]);
  });

  it('are cut and dropped while a statement reads for long, and while others write', async () => {
    const reader = new Client({ connectionString: url });
    await reader.connect();
    await reader.query('BEGIN; SELECT count(*) FROM audit_records');
    const cutting = months.cutAhead();
    await insert(uuidV7(Date.now()));
    await reader.query('COMMIT');
    await cutting;
    await reader.end();
    expect((await partitions()).at(-1)).toBe(`audit_records_rest: ${month(3)} MAXVALUE`);
  });

  it('are dropped when all of their records are too old, and an older record still has a place', async () => {
    await months.cutAhead();
    const [old, young] = [firstUuidV7(monthStart(new Date(), 2) - 1), firstUuidV7(monthStart(new Date(), 2))];
    await insert('00000000-0000-7000-8000-000000000001', old, young);
    // The month of `young` is not over for retention.
    await months.dropBefore(new Date(monthStart(new Date(), 3) - 1));
    expect(await idsIn(nameOf(2))).toEqual([young]);
    const drop = () => new RecordMonths(source).dropBefore(new Date(monthStart(new Date(), 3)));
    await Promise.all([drop(), drop(), drop()]);
    expect(await partitions()).toEqual([
      `audit_records_first: MINVALUE ${month(3)}`,
      `audit_records_rest: ${month(3)} MAXVALUE`,
    ]);
    expect(await idsIn('audit_records')).toEqual([]);
    await insert(old, young);
    expect(await idsIn('audit_records_first')).toEqual([old, young]);
    // Nothing but the first partition is old: its records are deleted one by one.
    await drop();
    expect(await idsIn('audit_records_first')).toEqual([old, young]);
  });
});
