/**
 * The record of what happened, written ahead of what it records. Depends on auth (it records log-ins) and below.
 */
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccessRecorder } from './access-recorder.js';
import { AuditLog } from './audit-log.js';
import { Retention } from './retention.js';

@Module({
  imports: [AuthModule],
  providers: [AuditLog, AccessRecorder, Retention],
  exports: [AuditLog],
})
export class AuditModule {}
