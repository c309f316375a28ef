import { DataSource, type MigrationInterface } from 'typeorm';
import { migrate, parseConnection } from '#database';
import { dataSourceOptions } from '../../../libs/database/src/data-source.js';
import { createFunctions } from '../../../libs/database/src/functions.js';
import { createDatabase } from './support/databases.js';

/** The last migration of release 0.1.0. */
const RELEASED = 'Usage1763739000000';

type Row = Record<string, unknown>;
let source: DataSource;
const sql = <T = Row>(text: string, values?: unknown[]) => source.query<T[]>(text, values);

/** A database at this release with an agent, services, a held request and keys; then all later migrations run. */
beforeAll(async () => {
  const url = await createDatabase();
  const options = dataSourceOptions(parseConnection(url), 2);
  const all = options.migrations as (new () => unknown)[];
  const released = all.slice(0, all.findIndex(({ name }) => name === RELEASED) + 1);
  const before = new DataSource({ ...options, migrations: released });
  await before.initialize();
  await before.runMigrations({ transaction: 'all' });
  await before.query(ROWS);
  await before.destroy();
  source = new DataSource(options);
  await source.initialize();
  await source.runMigrations({ transaction: 'each' });
  await createFunctions(source);
});
afterAll(() => source.destroy());

const ROWS = `
  INSERT INTO users (email, name, password_hash, created_at, updated_at) VALUES ('a@example.com', 'Ada', 'x', now(), now());
  INSERT INTO services (user_id, name, base_url, auth_type, created_at, updated_at)
    VALUES (1, 'One', 'https://one.example.com', 'bearer', now(), now()), (1, 'Two', 'https://two.example.com', 'bearer', now(), now());
  INSERT INTO credentials (service_id, name, encrypted_value) VALUES (1, 'token', 'x'), (2, 'token', 'x');
  INSERT INTO agents (user_id, name, key_hash, key_prefix, is_active, created_at, updated_at)
    VALUES (1, 'bot', repeat('a', 64), 'agt_aaaaaaaa', true, now(), now()), (1, 'idle', repeat('b', 64), 'agt_bbbbbbbb', true, now(), now());
  INSERT INTO agent_services VALUES (1, 1), (1, 2), (2, 2);
  INSERT INTO risk_rules (service_id, name, effect, methods, path_pattern, instruction, agent_ids, is_active, max_uses, created_at, updated_at)
    VALUES (1, 'allow', 'allow', '{}', '', '', '{}', true, 5, now(), now());
  INSERT INTO service_documents (service_id, type, title, content, size_bytes, operation_count, created_at, updated_at)
    VALUES (1, 'openapi', 'API', '{}', 2, 1, now(), now());
  INSERT INTO documented_operations (document_id, service_id, method, path, server_path, excerpt) VALUES (1, 1, 'GET', '/a', '', '{}');
  INSERT INTO actions (id, user_id, agent_id, agent_name, service_id, service_name, status, method, target_url, headers,
      intent, summary, risk_score, risk_explanation, risk_source, created_at, expires_at)
    VALUES ('00000000-0000-4000-8000-000000000001', 1, 1, 'bot', 2, 'Two', 'PENDING', 'DELETE', 'https://two.example.com/x', '{}',
      'tidy', 'DELETE x', 1, '', 'model', now(), now() + interval '1 h');
  INSERT INTO audit_records (id, at, kind, outcome, user_id, agent_id, service_id)
    VALUES ('00000000-0000-7000-8000-000000000001', now(), 'request', 'forwarded', 1, 1, 1);
  INSERT INTO idempotency_records (agent_id, key, request_hash, method, status, claim_id, action_id, created_at, expires_at)
    VALUES (1, 'sent', repeat('0', 64), 'POST', 'completed', '00000000-0000-7000-8000-000000000001', NULL, now(), now() + interval '1 day'),
      (1, 'held', repeat('0', 64), 'POST', 'processing', gen_random_uuid(), '00000000-0000-4000-8000-000000000001', now(), now() + interval '1 day');
`;

it('an upgrade keeps every row, and adds the service of each key', async () => {
  expect(await sql('SELECT key, service_id FROM idempotency_records ORDER BY key')).toEqual([
    { key: 'held', service_id: 2 },
    { key: 'sent', service_id: 1 },
  ]);
  expect(await sql(`SELECT id, status FROM actions`)).toEqual([
    { id: '00000000-0000-4000-8000-000000000001', status: 'PENDING' },
  ]);
});

it('an upgrade gives each account a workspace with everything that it had', async () => {
  expect(await sql('SELECT id, name, private_targets, created_by FROM workspaces')).toEqual([
    { id: 1, name: "Ada's workspace", private_targets: true, created_by: 1 },
  ]);
  expect(await sql('SELECT workspace_id, user_id, role FROM workspace_members')).toEqual([
    { workspace_id: 1, user_id: 1, role: 'owner' },
  ]);
  for (const table of ['services', 'agents', 'actions', 'audit_records']) {
    expect([table, await sql(`SELECT DISTINCT workspace_id FROM ${table}`)]).toEqual([table, [{ workspace_id: 1 }]]);
  }
});

it('an upgrade knows no facts of the operations that are there, and takes lists of tools', async () => {
  expect(await sql('SELECT path, facts FROM documented_operations')).toEqual([{ path: '/a', facts: null }]);
  await sql(`
    INSERT INTO service_documents (service_id, type, title, content, size_bytes, operation_count, created_at, updated_at)
      VALUES (2, 'mcp', 'Tools', '{"tools": []}', 13, 0, now(), now())`);
});

it('rows that an instance of the previous release writes belong to the right workspace', async () => {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query(`
      INSERT INTO users (email, name, password_hash, created_at, updated_at) VALUES ('b@example.com', 'Bo', 'x', now(), now());
      SET CONSTRAINTS ALL IMMEDIATE;
      INSERT INTO services (user_id, name, base_url, auth_type, created_at, updated_at)
        SELECT id, 'Late', 'https://late.example.com', 'bearer', now(), now() FROM users WHERE name = 'Bo';
      UPDATE agents SET workspace_id = (SELECT id FROM users WHERE name = 'Bo') WHERE id = 2;
      INSERT INTO audit_records (id, at, kind, outcome, user_id, agent_id)
        SELECT '00000000-0000-7000-8000-000000000002'::uuid, now(), 'request', 'forwarded', 1, a.id FROM agents a WHERE id = 2;
      INSERT INTO audit_records (id, at, kind, outcome, user_id)
        SELECT '00000000-0000-7000-8000-000000000003'::uuid, now(), 'access', 'changed', id FROM users WHERE name = 'Bo'`);
    const [{ id }] = (await runner.query(`SELECT id FROM workspaces WHERE name = 'Bo''s workspace'`)) as {
      id: number;
    }[];
    expect(await runner.query(`SELECT workspace_id FROM services WHERE name = 'Late'`)).toEqual([{ workspace_id: id }]);
    expect(
      await runner.query(
        `SELECT workspace_id, user_id FROM audit_records WHERE id::text LIKE '%2' OR id::text LIKE '%3'`,
      ),
    ).toEqual(Array(2).fill({ workspace_id: id, user_id: null }));
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
});

describe('the migration to workspaces continues where it was killed', () => {
  const migrations = () => source.options.migrations as (new () => MigrationInterface)[];
  const isDone = async () => (await sql(`SELECT FROM migrations WHERE name = 'Workspaces1764100000000'`)).length > 0;

  it.each([1, 2, 4, 8, 12, 14])('after %i transactions', async (transactions) => {
    while (await isDone()) await source.undoLastMigration();
    const runner = source.createQueryRunner();
    const commit = runner.commitTransaction.bind(runner);
    let left = transactions;
    runner.commitTransaction = async () => {
      await commit();
      if (--left === 0) throw new Error('killed');
    };
    const Workspaces = migrations().find(({ name }) => name === 'Workspaces1764100000000')!;
    await expect(new Workspaces().up(runner)).rejects.toThrow();
    await runner.release();
    await source.runMigrations({ transaction: 'each' });
    await createFunctions(source);
    for (const table of ['services', 'agents', 'actions', 'audit_records']) {
      expect([table, await sql(`SELECT DISTINCT workspace_id FROM ${table}`)]).toEqual([table, [{ workspace_id: 1 }]]);
    }
    expect(await sql('SELECT workspace_id, user_id, role FROM workspace_members')).toHaveLength(1);
  });
});

describe('after the upgrade a trigger raises the version', () => {
  const versions = async (): Promise<Record<string, number>> => {
    const rows = await sql<{ name: string; version: string }>(
      'SELECT name, version FROM agents UNION ALL SELECT name, version FROM services',
    );
    return Object.fromEntries(rows.map(({ name, version }) => [name, Number(version)]));
  };
  /** @returns the names of the rows whose version differs after the statement */
  async function changedBy(statement: string): Promise<string[]> {
    const before = await versions();
    await sql(statement);
    const after = await versions();
    return Object.keys(before)
      .filter((name) => name in after && before[name] !== after[name])
      .sort();
  }

  it.each([
    ['the name of an agent', `UPDATE agents SET name = 'bot' , is_active = false WHERE id = 1`, ['bot']],
    ['its last use', 'UPDATE agents SET last_used_at = now() WHERE id = 1', []],
    ['a service that is added to a scope', 'INSERT INTO agent_services VALUES (2, 1)', ['idle']],
    [
      'a service that is removed from a scope',
      'DELETE FROM agent_services WHERE agent_id = 2 AND service_id = 1',
      ['idle'],
    ],
    ['the type of a service', `UPDATE services SET auth_type = 'oauth2' WHERE id = 1`, ['One']],
    [
      'the base URL of a service',
      `UPDATE services SET base_url = 'https://other.example.com' WHERE id = 2`,
      ['Two', 'bot', 'idle'],
    ],
    ['a credential', `UPDATE credentials SET encrypted_value = 'y' WHERE service_id = 1`, ['One']],
    ['a rule', `UPDATE risk_rules SET effect = 'deny' WHERE id = 1`, ['One']],
    ['a use of a rule', 'UPDATE risk_rules SET uses = uses + 1 WHERE id = 1', []],
    [
      'a document',
      `INSERT INTO service_documents (service_id, type, title, content, size_bytes, operation_count, created_at, updated_at)
       VALUES (1, 'text', 't', 'c', 1, 0, now(), now())`,
      ['One'],
    ],
    ['a service that is deleted', 'DELETE FROM services WHERE id = 2', ['bot', 'idle']],
  ])('for %s', async (_what, statement, changed) => {
    expect(await changedBy(statement)).toEqual(changed);
  });
});

it('instances that start together migrate once, and wait for each other', async () => {
  const url = await createDatabase();
  await Promise.all([migrate(parseConnection(url)), migrate(parseConnection(url)), migrate(parseConnection(url))]);
});

it('a rule with a limit is reverted with its effect', async () => {
  await sql(
    `INSERT INTO risk_rules (service_id, name, effect, methods, path_pattern, instruction, agent_ids, is_active, "limit", created_at, updated_at)
     VALUES (1, 'few', 'limit', '{}', '', '', '{}', true, '{"count": 1, "per": "day", "then": "deny"}', now(), now())`,
  );
  await sql(`INSERT INTO limit_counters SELECT id, 1, now(), 1 FROM risk_rules WHERE effect = 'limit'`);
});

it('each later migration can be reverted, newest first', async () => {
  for (let left = (source.options.migrations as unknown[]).length; left > 5; left--) await source.undoLastMigration();
  expect(await sql('SELECT epoch FROM config_epoch')).toHaveLength(1);
  // A release without this type could not read it.
  expect(await sql(`SELECT type FROM service_documents WHERE type NOT IN ('openapi', 'markdown', 'text')`)).toEqual([]);
  await source.runMigrations({ transaction: 'each' });
  await createFunctions(source);
});
