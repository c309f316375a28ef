/**
 * The record of what happened, written ahead of what it records. Depends on auth (it records log-ins) and below.
 */
import { Global, Module } from '@nestjs/common';
import { AccessListener } from '../auth/access-events.js';
import { MembershipModule } from '../membership/membership.module.js';
import { AccessRecorder } from './access-recorder.js';
import { AuditLog } from './audit-log.js';
import { AuditHousekeeping } from './audit.schedule.js';
import { RecordMonths } from './record-months.js';

/** Global for `AccessListener`, which auth calls: auth is below, and can't import this module. */
@Global()
@Module({
  imports: [MembershipModule],
  providers: [AuditLog, RecordMonths, AuditHousekeeping, { provide: AccessListener, useClass: AccessRecorder }],
  exports: [AuditLog, AccessListener],
})
export class AuditModule {}
