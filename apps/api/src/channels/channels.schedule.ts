import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { ChannelReminders } from './channel-reminders.js';
import { ChannelSender } from './channel-sender.js';

/** Can run on several instances at the same time, because each step is a conditional statement. */
@Injectable()
export class ChannelsHousekeeping {
  constructor(
    private readonly sender: ChannelSender,
    private readonly reminders: ChannelReminders,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_MINUTE)
  remind(): void {
    this.background.run('reminders', async () => {
      await this.reminders.run();
      this.sender.wake();
    });
  }
}
