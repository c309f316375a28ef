import type { EntityManager } from 'typeorm';

/**
 * The moment this many minutes from now, by the database's clock. People say how long something lasts, and the clock of
 * their computer may be wrong, so a duration travels and not a moment.
 */
export async function momentAhead(tx: EntityManager, minutes: number): Promise<Date> {
  const [{ at }]: { at: Date }[] = await tx.query(
    `SELECT date_trunc('milliseconds', clock_timestamp()) + make_interval(mins => $1) AS at`,
    [minutes],
  );
  return at;
}
