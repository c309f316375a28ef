import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { BackgroundWork } from '../platform/background.js';
import { toServiceView, type ServiceViewJson } from '../service-view/service-view.js';
import { SERVICE_VIEW_SQL } from './service-view-sql.js';
import { ConnectionStore } from '../connections/connection-store.js';
import { Connections, isConnected } from '../connections/connections.js';

const BATCH = 20;

/**
 * Uses refresh tokens before they expire unused, for services that agents rarely use
 * (docs/reference/egress.md#keep-alive).
 */
@Injectable()
export class ConnectionsHousekeeping {
  constructor(
    private readonly source: DataSource,
    private readonly store: ConnectionStore,
    private readonly connections: Connections,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_MINUTE)
  schedule(): void {
    this.background.run('connections', () => this.keepAlive());
  }

  /** The claim of each renewal makes sure that only one instance renews it. */
  async keepAlive(): Promise<void> {
    const ids = await this.store.toKeepAlive(BATCH);
    if (ids.length === 0) return;
    const rows: { view: ServiceViewJson }[] = await this.source.query(
      `SELECT ${SERVICE_VIEW_SQL} AS view FROM services s WHERE s.id = ANY($1)`,
      [ids],
    );
    await Promise.all(
      rows
        .map(({ view }) => toServiceView(view))
        .filter(isConnected)
        .map((service) => this.connections.renew(service, false)),
    );
  }
}
