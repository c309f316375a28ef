import pg from 'pg';

/** The driver's error text for a query timeout. */
const OVERDUE = 'Query read timeout';

/**
 * Closes a connection immediately after a query timeout. The driver would keep using it: the next query would wait
 * behind the timed-out one until its own timeout, and a late result of the old query would be read as the result of the
 * next one.
 */
export class TimelyClient extends pg.Client {
  private readonly ask = pg.Client.prototype.query.bind(this) as (...args: unknown[]) => unknown;

  override query: pg.Client['query'] = (...args: unknown[]) => {
    const answer = this.ask(...args);
    if (answer instanceof Promise) answer.catch((error: unknown) => this.closeIfOverdue(error));
    return answer as never;
  };

  private closeIfOverdue(error: unknown): void {
    // While a query is in progress, `end` closes the connection without a goodbye message.
    if (error instanceof Error && error.message === OVERDUE) void this.end().catch(() => undefined);
  }
}
