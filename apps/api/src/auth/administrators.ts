import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuthConfig } from '../platform/config.js';

/**
 * SQL expression over row `u` of `users` and $1, the address of `ADMIN_EMAIL`: why the account administers the
 * installation.
 */
export const ADMINISTERS_SQL = `CASE WHEN u.id = (SELECT min(id) FROM users) THEN 'first' WHEN lower(u.email) = lower($1) THEN 'ADMIN_EMAIL'
  WHEN EXISTS (SELECT FROM installation_administrators i WHERE i.user_id = u.id) THEN 'named' END`;

/** Finds the administrators of the installation (docs/reference/workspaces.md#administrators). */
@Injectable()
export class Administrators {
  constructor(
    private readonly source: DataSource,
    private readonly config: AuthConfig,
  ) {}

  async include(userId: number): Promise<boolean> {
    const rows: unknown[] = await this.source.query(
      `SELECT FROM users u WHERE u.id = $2 AND ${ADMINISTERS_SQL} IS NOT NULL`,
      [this.config.adminEmail, userId],
    );
    return rows.length > 0;
  }
}
