import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { PreviousCredentials } from './previous-credentials.js';

/** Safe on several instances at once: it is one conditional statement. */
@Injectable()
export class PreviousCredentialsHousekeeping {
  constructor(
    private readonly previous: PreviousCredentials,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_MINUTE)
  schedule(): void {
    this.background.run('previous credentials past their time', () => this.previous.purge());
  }
}
