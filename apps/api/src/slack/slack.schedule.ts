import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { BackgroundWork } from '../platform/background.js';

/** Signatures older than five minutes are refused anyway. The rest of this time covers clocks that differ. */
const PURGE = [
  `DELETE FROM slack_requests WHERE received_at < now() - interval '1 hour'`,
  'DELETE FROM slack_link_requests WHERE expires_at < now()',
];

@Injectable()
export class SlackHousekeeping {
  constructor(
    private readonly source: DataSource,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  purge(): void {
    this.background.run('requests of Slack past their time', async () => {
      for (const sql of PURGE) await this.source.query(sql);
    });
  }
}
