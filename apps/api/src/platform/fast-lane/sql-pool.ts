import { Injectable } from '@nestjs/common';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';

/**
 * Direct access to the data source's connection pool, for the hot path. Statements are prepared once per connection;
 * rows stay raw.
 */
@Injectable()
export class SqlPool {
  constructor(private readonly source: DataSource) {}

  /** @param name the name of the prepared statement; one name must always have the same text */
  prepared<Row extends QueryResultRow>(name: string, text: string, values: unknown[]): Promise<QueryResult<Row>> {
    return this.pool.query<Row>({ name, text, values });
  }

  /**
   * Plans the statement on every call. For batches that are joined with a growing table: a prepared statement would
   * keep the plan for the small table, and would scan the table even after it has become large.
   */
  planned<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<Row>> {
    return this.pool.query<Row>(text, values);
  }

  /** The connections of this process. `waiting`: callers that wait for one. */
  connections(): Record<'used' | 'idle' | 'waiting', number> {
    const { totalCount, idleCount: idle, waitingCount: waiting } = this.pool;
    return { used: totalCount - idle, idle, waiting };
  }

  private get pool(): Pool {
    return (this.source.driver as unknown as { master: Pool }).master;
  }
}
