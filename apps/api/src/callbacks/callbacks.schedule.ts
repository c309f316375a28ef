import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { CallbackSender } from './callback-sender.js';
import { DeliveryQueue } from './delivery-queue.js';

/** Safe on several instances at once: each step is a conditional statement. */
@Injectable()
export class CallbacksHousekeeping {
  constructor(
    private readonly sender: CallbackSender,
    private readonly queue: DeliveryQueue,
    private readonly background: BackgroundWork,
  ) {}

  /** For what no notification came for, and what a process that died had taken. */
  @Cron(CronExpression.EVERY_MINUTE)
  look(): void {
    this.sender.wake();
  }

  @Cron(CronExpression.EVERY_HOUR)
  purge(): void {
    this.background.run('deliveries past their time', () => this.queue.purge());
  }
}
