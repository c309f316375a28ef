/**
 * The record of what happened: written ahead of what it records, queried, exported. Depends on auth (the guard of its
 * endpoints, and its log-ins) and below.
 */
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccessRecorder } from './access-recorder.js';
import { AuditController } from './audit.controller.js';
import { AuditDecisions } from './audit-decisions.js';
import { AuditLog } from './audit-log.js';
import { AuditReader } from './audit-reader.js';
import { AuditStatistics } from './audit-stats.js';
import { FilteredFigures } from './filtered-figures.js';
import { FoldedUsage } from './folded-usage.js';
import { Retention } from './retention.js';
import { UsageFold } from './usage-fold.js';
import { UsageReader } from './usage-reader.js';

@Module({
  imports: [AuthModule],
  controllers: [AuditController],
  providers: [
    AuditLog,
    AuditReader,
    AuditDecisions,
    AuditStatistics,
    FilteredFigures,
    UsageReader,
    UsageFold,
    FoldedUsage,
    AccessRecorder,
    Retention,
  ],
  exports: [AuditLog, Retention],
})
export class AuditModule {}
