import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { errors, type ApiError } from '../platform/errors.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';

/** PostgreSQL's code for a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

/** Asks whether the database answers, and has the schema of this release or of a later one. */
@Injectable()
export class SchemaCheck {
  private readonly names: string[];

  constructor(
    source: DataSource,
    private readonly sql: SqlPool,
  ) {
    this.names = source.migrations.map((migration) => migration.name ?? migration.constructor.name);
  }

  /** @returns why the gateway can't serve; null: it can */
  async fault(): Promise<{ part: 'database' | 'schema'; error: ApiError } | null> {
    try {
      const { rows } = await this.sql.prepared<{ current: boolean }>(
        'ready',
        'SELECT NOT EXISTS (SELECT unnest($1::text[]) EXCEPT SELECT name FROM migrations) AS current',
        [this.names],
      );
      return rows[0].current ? null : { part: 'schema', error: errors.schemaOutdated() };
    } catch (error) {
      const isEmpty = (error as { code?: unknown }).code === UNDEFINED_TABLE;
      return isEmpty
        ? { part: 'schema', error: errors.schemaOutdated() }
        : { part: 'database', error: errors.databaseUnavailable(error) };
    }
  }
}
