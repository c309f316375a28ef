/**
 * Many rows as one JSON object with an array for each column. For thousands of rows, one JSON array per row or one
 * result row per row costs three to five times as much CPU.
 */
export type Columns<Row> = { [Name in keyof Row]: Row[Name][] | null };

/** Returns an SQL expression that aggregates each of the given expressions under its name. */
export function columnsSql(of: Record<string, string>): string {
  const columns = Object.entries(of).map(([name, expression]) => `'${name}', array_agg(${expression})`);
  return `json_build_object(${columns.join(', ')})`;
}

/**
 * Returns SQL for a timestamp as text that `isoOf` reads. Converting 20,000 of them takes 1 ms; through JavaScript's
 * `Date` it takes 13.
 */
export const utcSql = (moment: string): string => `${moment} AT TIME ZONE 'UTC'`;

/**
 * Converts to ISO 8601 with milliseconds, like `toISOString`. PostgreSQL's text has no trailing zeros and no time zone.
 */
export function isoOf(utc: string): string {
  return utc.length === 23 ? `${utc}Z` : `${utc.length === 19 ? `${utc}.000` : utc.slice(0, 23).padEnd(23, '0')}Z`;
}

/** Converts the result of `columnsSql` to rows. */
export function rowsOf<Row extends object>(columns: Columns<Row>): Row[] {
  const entries = Object.entries<unknown[] | null>(columns);
  const count = entries[0][1]?.length ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const row: Record<string, unknown> = {};
    for (const [name, values] of entries) row[name] = values![index];
    return row as Row;
  });
}
