import pg from 'pg';

/** The driver's own words for "the query timeout has passed". */
const OVERDUE = 'Query read timeout';

/**
 * A connection whose answer is overdue is closed at once. The driver would go on with it: whatever is asked next waits
 * behind the lost question for a timeout of its own, and an answer that comes late is taken for the next question's.
 */
export class TimelyClient extends pg.Client {
  private readonly ask = pg.Client.prototype.query.bind(this) as (...args: unknown[]) => unknown;

  override query: pg.Client['query'] = (...args: unknown[]) => {
    const answer = this.ask(...args);
    if (answer instanceof Promise) answer.catch((error: unknown) => this.closeIfOverdue(error));
    return answer as never;
  };

  private closeIfOverdue(error: unknown): void {
    // With a question under way, `end` does not say goodbye: it cuts the connection.
    if (error instanceof Error && error.message === OVERDUE) void this.end().catch(() => undefined);
  }
}
