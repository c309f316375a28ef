type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/**
 * Every row of every table (those of partitions are in the whole table), with binary columns as Latin-1 text, so that a test can search everything that is stored.
 */
export async function dumpDatabase(query: Query): Promise<Record<string, string[]>> {
  const tables = await query(
    `SELECT relname AS tablename FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
  );
  const dump: Record<string, string[]> = {};
  for (const table of tables) {
    const tablename = String(table.tablename);
    const rows = await query(`SELECT * FROM "${tablename}" ORDER BY 1, 2`);
    dump[tablename] = rows.map((row) =>
      JSON.stringify(
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, Buffer.isBuffer(value) ? value.toString('latin1') : value]),
        ),
      ),
    );
  }
  return dump;
}
