/**
 * The record of what happened, written ahead of what it records. Depends on auth (it records log-ins) and below.
 */
import { Module } from '@nestjs/common';
import { MembershipModule } from '../membership/membership.module.js';
import { AccessRecorder } from './access-recorder.js';
import { AuditLog } from './audit-log.js';
import { AuditHousekeeping } from './audit.schedule.js';

@Module({
  imports: [MembershipModule],
  providers: [AuditLog, AccessRecorder, AuditHousekeeping],
  exports: [AuditLog],
})
export class AuditModule {}
