import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { CallbackSender } from './callback-sender.js';
import { DeliveryQueue } from './delivery-queue.js';

/** Can run on several instances at the same time, because each step is a conditional statement. */
@Injectable()
export class CallbacksHousekeeping {
  constructor(
    private readonly sender: CallbackSender,
    private readonly queue: DeliveryQueue,
    private readonly background: BackgroundWork,
  ) {}

  /** Finds deliveries whose notification was lost, or whose process died during the attempt. */
  @Cron(CronExpression.EVERY_MINUTE)
  look(): void {
    this.sender.wake();
  }

  @Cron(CronExpression.EVERY_HOUR)
  purge(): void {
    this.background.run('deliveries past their time', () => this.queue.purge());
  }
}
