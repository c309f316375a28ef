import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { connectionOf, migrate } from '#database';
import { schemaText } from '../../../scripts/lib/schema-text.mjs';
import { createDatabase, createMigratedDatabase } from './support/databases.js';

const FILES = 'libs/database/src/functions';
const texts = readdirSync(FILES).map((file) => readFileSync(`${FILES}/${file}`, 'utf8'));
const named = (pattern: RegExp): string[] =>
  texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, name]) => name)).sort();

let url: string;
let client: Client;
const names = async (sql: string): Promise<string[]> =>
  (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name).sort();
const notification = async (): Promise<string> => {
  const { rows } = await client.query<{ text: string }>(
    `SELECT prosrc AS text FROM pg_proc WHERE proname = 'emit_session_event'`,
  );
  return rows[0].text;
};

beforeAll(async () => {
  url = await createMigratedDatabase();
  client = new Client({ connectionString: url });
  await client.connect();
});
afterAll(() => client.end());

it('libs/database/schema.sql is the schema after all migrations (if not: npm run schema)', async () => {
  const text = await schemaText(async (sql, values) => (await client.query<Record<string, never>>(sql, values)).rows);
  expect(readFileSync('libs/database/schema.sql', 'utf8')).toBe(text);
});

it('the files have every function and trigger of the database, once', async () => {
  const functions = await names(
    `SELECT proname AS name FROM pg_proc JOIN pg_language l ON l.oid = prolang
     WHERE pronamespace = 'public'::regnamespace AND l.lanname IN ('sql', 'plpgsql')`,
  );
  expect(named(/^CREATE OR REPLACE FUNCTION (\w+)/gm)).toEqual(functions);
  const triggers = await names('SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal');
  expect(named(/^CREATE (?:OR REPLACE|CONSTRAINT) TRIGGER (\w+)/gm)).toEqual(triggers);
});

it('instances that start at once create each text once', async () => {
  const freshUrl = await createDatabase();
  const fresh = connectionOf(freshUrl);
  await Promise.all([migrate(fresh), migrate(fresh), migrate(fresh)]);
  const other = new Client({ connectionString: freshUrl });
  await other.connect();
  const { rows } = await other.query('SELECT file FROM function_texts ORDER BY file');
  await other.end();
  expect(rows).toEqual(readdirSync(FILES).map((file) => ({ file })));
});

it('a start creates a function whose text is new, and an earlier release does not take it back', async () => {
  const present = await notification();
  const other = present.replace('BEGIN', 'BEGIN -- of another release');
  const put = (): Promise<unknown> =>
    client.query(`CREATE OR REPLACE FUNCTION emit_session_event() RETURNS trigger LANGUAGE plpgsql AS $$${other}$$`);
  await put();
  await migrate(connectionOf(url));
  expect(await notification()).toBe(other);
  await client.query(`UPDATE function_texts SET hash = repeat('0', 64) WHERE file = 'auth.sql'`);
  await migrate(connectionOf(url));
  expect(await notification()).toBe(present);
});
