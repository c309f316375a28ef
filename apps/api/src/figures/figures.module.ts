/** Counts, charts and usage. Above everything that it counts: agents, services, actions, records. */
import { Module } from '@nestjs/common';
import { MembershipModule } from '../membership/membership.module.js';
import { AuditFigures } from './audit-figures.js';
import { FiguresController } from './figures.controller.js';
import { FilteredFigures } from './filtered-figures.js';
import { FoldedUsage } from './folded-usage.js';
import { UsageFold } from './usage-fold.js';
import { UsageHousekeeping } from './usage.schedule.js';
import { UsageReader } from './usage-reader.js';

@Module({
  imports: [MembershipModule],
  controllers: [FiguresController],
  providers: [AuditFigures, FilteredFigures, FoldedUsage, UsageFold, UsageHousekeeping, UsageReader],
})
export class FiguresModule {}
