import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { DataSource, LessThanOrEqual } from 'typeorm';
import { ChannelEntity } from '#database';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { ChannelQueue } from './channel-queue.js';
import { ChannelReminders } from './channel-reminders.js';
import { ChannelSender } from './channel-sender.js';

/** Can run on several instances at the same time, because each step is a conditional statement. */
@Injectable()
export class ChannelsHousekeeping {
  constructor(
    private readonly source: DataSource,
    private readonly sender: ChannelSender,
    private readonly queue: ChannelQueue,
    private readonly reminders: ChannelReminders,
    private readonly background: BackgroundWork,
    private readonly clock: Clock,
  ) {}

  /** Also finds notifications whose wake-up was lost, or whose process died during the attempt. */
  @Cron(CronExpression.EVERY_MINUTE)
  look(): void {
    this.background.run('reminders', async () => {
      await this.reminders.run();
      this.sender.wake();
    });
  }

  @Cron(CronExpression.EVERY_HOUR)
  purge(): void {
    this.background.run('notifications past their time', async () => {
      const now = this.clock.now();
      await this.source.manager.update(
        ChannelEntity,
        { previousSecretExpiresAt: LessThanOrEqual(now) },
        { encryptedPreviousSecret: null, previousSecretExpiresAt: null },
      );
      await this.queue.purge(now);
    });
  }
}
