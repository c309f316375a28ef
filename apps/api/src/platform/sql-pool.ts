import { Injectable } from '@nestjs/common';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';

/** The data source's own connection pool, for the hot path: statements prepared once per connection, rows as they come. */
@Injectable()
export class SqlPool {
  constructor(private readonly source: DataSource) {}

  /** @param name of the prepared statement: always the same text for the same name */
  prepared<Row extends QueryResultRow>(name: string, text: string, values: unknown[]): Promise<QueryResult<Row>> {
    const pool = (this.source.driver as unknown as { master: Pool }).master;
    return pool.query<Row>({ name, text, values });
  }
}
