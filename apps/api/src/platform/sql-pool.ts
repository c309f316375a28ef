import { Injectable } from '@nestjs/common';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';

/** The data source's own connection pool, for the hot path: statements prepared once per connection, rows as they come. */
@Injectable()
export class SqlPool {
  constructor(private readonly source: DataSource) {}

  /** @param name of the prepared statement: always the same text for the same name */
  prepared<Row extends QueryResultRow>(name: string, text: string, values: unknown[]): Promise<QueryResult<Row>> {
    return this.pool.query<Row>({ name, text, values });
  }

  /**
   * Planned at each call, for batches that are joined with a table which grows: the plan of a prepared statement stays
   * the one for the table as it was, and goes on scanning a table that has become large.
   */
  planned<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<Row>> {
    return this.pool.query<Row>(text, values);
  }

  private get pool(): Pool {
    return (this.source.driver as unknown as { master: Pool }).master;
  }
}
