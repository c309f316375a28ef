import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BackgroundWork } from '../platform/background.js';
import { AgentDirectory } from './agent-directory.js';

/** Safe on several instances at once: it is one conditional statement. */
@Injectable()
export class AgentsHousekeeping {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly background: BackgroundWork,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  purge(): void {
    this.background.run('rotated agent keys past their time', () => this.agents.purgeEndedKeys());
  }
}
