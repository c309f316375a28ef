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

/** A moment in milliseconds, in SQL. */
export const msSql = (moment: string): string => `round(date_part('epoch', ${moment}) * 1000)`;

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
