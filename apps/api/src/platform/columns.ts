/**
 * Thousands of rows as one JSON object of arrays, a column each: to make and to read a JSON array per row, or a row per
 * row, costs three to five times as much CPU.
 */
export type Columns<Row> = { [Name in keyof Row]: Row[Name][] | null };

/** An SQL expression that aggregates each of these expressions, by name. */
export function columnsSql(of: Record<string, string>): string {
  const columns = Object.entries(of).map(([name, expression]) => `'${name}', array_agg(${expression})`);
  return `json_build_object(${columns.join(', ')})`;
}

/** A moment in SQL, as a text that `isoOf` reads: 20,000 of them cost 1 ms; by way of a `Date` of JavaScript, 13. */
export const utcSql = (moment: string): string => `${moment} AT TIME ZONE 'UTC'`;

/** ISO 8601 in UTC with milliseconds, as `toISOString` writes it: PostgreSQL leaves out zeros at the end, and the zone. */
export function isoOf(utc: string): string {
  return utc.length === 23 ? `${utc}Z` : `${utc.length === 19 ? `${utc}.000` : utc.slice(0, 23).padEnd(23, '0')}Z`;
}

/** The rows of what `columnsSql` selected. */
export function rowsOf<Row extends object>(columns: Columns<Row>): Row[] {
  const entries = Object.entries<unknown[] | null>(columns);
  const count = entries[0][1]?.length ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const row: Record<string, unknown> = {};
    for (const [name, values] of entries) row[name] = values![index];
    return row as Row;
  });
}
