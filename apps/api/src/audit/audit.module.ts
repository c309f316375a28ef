/**
 * The record of what happened: written ahead of what it records, queried, exported. Depends on auth (the guard of its
 * endpoints, and its log-ins) and below.
 */
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AuditLog } from './audit-log.js';

@Module({ imports: [AuthModule], providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}
