import { DataSource } from 'typeorm';
import { connectionOf, migrate } from '#database';
import { dataSourceOptions } from '../../../libs/database/src/data-source.js';
import { createDatabase } from './support/databases.js';

interface Column {
  /** Table and column, like `agents.key_hash`. */
  name: string;
  type: string;
  isNullable: boolean;
}

let source: DataSource;
beforeAll(async () => {
  const url = await createDatabase();
  await migrate(connectionOf(url));
  source = await new DataSource(dataSourceOptions(connectionOf(url), 2)).initialize();
});
afterAll(() => source.destroy());

it('every column of an entity is a column of the migrated database, with its type', async () => {
  const { driver, entityMetadatas } = source;
  // TypeORM's own reader of tables sends statements on a connection that is still executing another one.
  const stored: Column[] = await source.query(
    `SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       NOT a.attnotnull AS "isNullable"
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`,
  );
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
