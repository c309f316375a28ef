import { effects } from '../../test/support/classified.js';

describe('SQL', () => {
  it.each([
    'COMMIT; DROP SCHEMA public CASCADE',
    "UPDATE users u SET role='admin'",
    'DELETE u FROM users u',
    'REPLACE users VALUES (1)',
    '/*!50000 DROP TABLE users */',
    'SELECT 1 /*M! ; DELETE FROM users */',
    `/*${'a'.repeat(2000)}*/ DROP TABLE users`,
    `select ${'a,'.repeat(1000)}b from t; drop table users`,
    'USE master RESTORE DATABASE prod',
    'MATCH (n) DETACH DELETE n',
    'EXPLAIN ANALYSE DELETE FROM users',
    "SELECT length(E'\\'') # 1; DELETE FROM users; --'",
    'SELECT 1 # 2 AS a$$; DELETE FROM users; SELECT 1 AS b$$',
    "SELECT 1 AS [']; DELETE FROM users; SELECT 1 AS [']",
    `SELECT "pg_read_file"('/etc/passwd')`,
    "SELECT cron.schedule('x', '* * * * *', 'DELETE FROM users')",
  ])('that may act is no reading: %.60s', (sql) => {
    expect(effects('POST /query', { body: { sql } })).toContain('write');
    expect(effects('POST /query', { body: { sql, q: 'select 1 from t' } })).toContain('write');
    expect(effects('POST /query', { body: { sql: [[sql]] } })).toContain('write');
  });

  it.each(['SELECT id, count(*) FROM orders GROUP BY id', 'WITH x AS (SELECT 1) SELECT max(id) FROM x'])(
    'that only selects is one: %s',
    (sql) => {
      expect(effects('POST /query', { body: { sql } })).toBe('read');
    },
  );
});
