/**
 * The endpoints that read the record. They have a module of their own, because `GET /audit/:recordId` must be
 * registered after `GET /audit/stats` of `figures/`.
 */
import { Module } from '@nestjs/common';
import { MembershipModule } from '../membership/membership.module.js';
import { AuditCases } from './audit-cases.js';
import { AuditController } from './audit.controller.js';
import { AuditDecisions } from './audit-decisions.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuditReader } from './audit-reader.js';

@Module({
  imports: [MembershipModule, AuditModule],
  controllers: [AuditController],
  providers: [AuditReader, AuditDecisions, AuditCases],
})
export class AuditReadingModule {}
