type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/**
 * Every row of every table, with binary columns as Latin-1 text, so that a test can search everything that is stored.
 */
export async function dumpDatabase(query: Query): Promise<Record<string, string[]>> {
  const tables = await query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`);
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
