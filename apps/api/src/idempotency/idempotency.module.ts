/**
 * Idempotency keys: claims on them, and the answers that are stored for them. `proxy/` decides the order of a request.
 * Depends on approvals (a held request keeps its key) and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { IdempotencyHousekeeping } from './idempotency.schedule.js';
import { IdempotencySettlement } from './idempotency-settlement.js';
import { IdempotencyStore } from './idempotency-store.js';
import { StoredAnswers } from './stored-answers.js';

@Module({
  imports: [AuditModule],
  providers: [IdempotencyStore, IdempotencySettlement, StoredAnswers, IdempotencyHousekeeping],
  exports: [IdempotencyStore, IdempotencySettlement, StoredAnswers],
})
export class IdempotencyModule {}
