import type { DataSource } from 'typeorm';

/** Rows per query: those of a large document are read in between other requests. */
const PORTION = 250;

/** The operations of a service, in portions in the order of their ids. @param columns SQL; with the id */
export async function* inPortions<Row extends { id: number }>(
  source: DataSource,
  columns: string,
  serviceId: number,
): AsyncGenerator<Row[]> {
  for (let after = 0; ;) {
    const rows: Row[] = await source.query(
      `SELECT ${columns} FROM documented_operations WHERE service_id = $1 AND id > $2 ORDER BY id LIMIT ${PORTION}`,
      [serviceId, after],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < PORTION) return;
    after = rows[rows.length - 1].id;
  }
}
