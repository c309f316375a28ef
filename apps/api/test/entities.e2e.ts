import { DataSource } from 'typeorm';
import { migrate } from '#database';
import { dataSourceOptions } from '../../../libs/database/src/data-source.js';
import { createDatabase } from './support/databases.js';

let source: DataSource;
beforeAll(async () => {
  const url = await createDatabase();
  await migrate(url);
  source = await new DataSource(dataSourceOptions(url, 2)).initialize();
});
afterAll(() => source.destroy());

it('every column of an entity is a column of the migrated database, with its type', async () => {
  const { driver, entityMetadatas } = source;
  const runner = source.createQueryRunner();
  const tables = await runner
    .getTables(entityMetadatas.map(({ tableName }) => tableName))
    .finally(() => runner.release());
  for (const { tableName, columns } of entityMetadatas) {
    const table = tables.find(({ name }) => name === tableName);
    const stored = columns.filter(({ isVirtualProperty }) => !isVirtualProperty);
    expect(stored.map(({ databaseName: name }) => ({ tableName, ...table?.findColumnByName(name) }))).toMatchObject(
      stored.map((column) => ({
        tableName,
        name: column.databaseName,
        type: driver.normalizeType(column),
        length: driver.getColumnLength(column),
        isArray: column.isArray,
        isNullable: column.isNullable,
      })),
    );
  }
});
