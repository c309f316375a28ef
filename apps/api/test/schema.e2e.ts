import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrate, parseConnection } from '#database';
import { dataSourceOptions } from '../../../libs/database/src/data-source.js';
import { FUNCTIONS_VERSION, readFunctions } from '../../../libs/database/src/functions.js';
import { functionsIn, hashOfAll, schemaText } from '../../../scripts/lib/schema-text.mjs';
import { createDatabase, createMigratedDatabase } from './support/databases.js';

const SCHEMA = readFileSync('libs/database/schema.sql', 'utf8');
const statements = readFunctions();
const named = (pattern: RegExp): string[] =>
  statements.flatMap(({ sql }) => pattern.exec(sql)?.slice(1, 2) ?? []).sort();

let url: string;
let client: Client;
const rows = async <Row>(sql: string, values?: unknown[]): Promise<Row[]> =>
  (await client.query(sql, values)).rows as Row[];
const names = async (sql: string): Promise<string[]> =>
  (await rows<{ name: string }>(sql)).map(({ name }) => name).sort();

/** What the database has as the text of a function. */
const readFunctionText = async (name: string): Promise<string> =>
  (await rows<{ text: string }>('SELECT prosrc AS text FROM pg_proc WHERE proname = $1', [name]))[0].text;
const readOid = async (trigger: string): Promise<unknown> =>
  (await rows<{ oid: unknown }>('SELECT oid FROM pg_trigger WHERE tgname = $1', [trigger]))[0].oid;

beforeAll(async () => {
  url = await createMigratedDatabase();
  client = new Client({ connectionString: url });
  await client.connect();
});
afterAll(() => client.end());

it('libs/database/schema.sql is the schema after all migrations (if not: npm run schema)', async () => {
  const functions = { version: FUNCTIONS_VERSION, hash: hashOfAll(statements) };
  expect(functionsIn(SCHEMA)).toEqual(functions);
  expect(SCHEMA).toBe(await schemaText(rows, functions));
});

it('the files have every function and trigger of the database, once', async () => {
  const functions = await names(
    `SELECT proname AS name FROM pg_proc JOIN pg_language l ON l.oid = prolang
     WHERE pronamespace = 'public'::regnamespace AND l.lanname IN ('sql', 'plpgsql')`,
  );
  expect(named(/^CREATE OR REPLACE FUNCTION (\w+)/)).toEqual(functions);
  const triggers = await names('SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0');
  expect(named(/^ *CREATE (?:OR REPLACE|CONSTRAINT) TRIGGER (\w+)/m)).toEqual(triggers);
});

it('instances that start at once run each statement once', async () => {
  const freshUrl = await createDatabase();
  const fresh = parseConnection(freshUrl);
  await Promise.all([migrate(fresh), migrate(fresh), migrate(fresh)]);
  const other = new Client({ connectionString: freshUrl });
  await other.connect();
  const stored = await other.query('SELECT name FROM function_texts');
  await other.end();
  expect(stored.rows.map(({ name }: { name: string }) => name).sort()).toEqual(
    statements.map(({ name }) => name).sort(),
  );
});

describe('a start', () => {
  const changed = 'function emit_session_event';
  let text: string;
  const change = (): Promise<unknown> =>
    client.query(`CREATE OR REPLACE FUNCTION emit_session_event() RETURNS trigger LANGUAGE plpgsql AS $$${text} $$`);

  beforeAll(async () => {
    text = (await readFunctionText('emit_session_event')).replace('BEGIN', 'BEGIN -- of another release');
    await change();
  });

  it('of an earlier release leaves the texts of a newer one alone', async () => {
    await client.query(`UPDATE function_texts SET hash = repeat('0', 64), version = $1 WHERE name = $2`, [
      FUNCTIONS_VERSION + 1,
      changed,
    ]);
    await migrate(parseConnection(url));
    expect(await readFunctionText('emit_session_event')).toContain('of another release');
  });

  it('creates only what has changed', async () => {
    await client.query('UPDATE function_texts SET version = $1', [FUNCTIONS_VERSION - 1]);
    const trigger = await readOid('sessions_event');
    await migrate(parseConnection(url));
    expect(await readFunctionText('emit_session_event')).not.toContain('of another release');
    expect(await readOid('sessions_event')).toBe(trigger);
    expect(await rows('SELECT name FROM function_texts WHERE version = $1', [FUNCTIONS_VERSION])).toEqual([
      { name: changed },
    ]);
  });

  it('creates triggers again after a migration has dropped their table', async () => {
    await client.query('DROP TRIGGER sessions_event ON sessions; DELETE FROM function_texts');
    await migrate(parseConnection(url));
    expect(await readOid('sessions_event')).toBeDefined();
  });
});

interface Column {
  /** Table and column, like `agents.key_hash`. */
  name: string;
  type: string;
  isNullable: boolean;
}

it('every column of an entity is a column of the migrated database, with its type', async () => {
  const source = await new DataSource(dataSourceOptions(parseConnection(url), 2)).initialize();
  const { driver, entityMetadatas } = source;
  // TypeORM's own reader of tables sends statements on a connection that is still executing another one.
  const stored: Column[] = await source.query(
    `SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       NOT a.attnotnull AS "isNullable"
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  await source.destroy();
  const expected = entityMetadatas.flatMap(({ tableName, columns }) =>
    columns
      .filter(({ isVirtualProperty }) => !isVirtualProperty)
      .map((column): Column => {
        const length = driver.getColumnLength(column);
        const type = `${driver.normalizeType(column)}${length && `(${length})`}${column.isArray ? '[]' : ''}`;
        return { name: `${tableName}.${column.databaseName}`, type, isNullable: column.isNullable };
      }),
  );
  const names = new Set(expected.map(({ name }) => name));
  const byName = (a: Column, b: Column): number => a.name.localeCompare(b.name);
  expect(stored.filter(({ name }) => names.has(name)).sort(byName)).toEqual(expected.sort(byName));
});
