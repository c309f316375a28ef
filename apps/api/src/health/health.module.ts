/**
 * Liveness, readiness, and the status page of the dashboard. Depends on every module that it reports on.
 */
import { Module } from '@nestjs/common';
import { MembershipModule } from '../membership/membership.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { EventsModule } from '../events/events.module.js';
import { RiskModule } from '../risk/risk.module.js';
import { AdminStatusController } from './admin-status.controller.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { DatabaseGauges } from './database-gauges.js';
import { HealthController } from './health.controller.js';
import { PartsGuard } from './parts.guard.js';
import { Parts } from './parts.js';
import { SchemaCheck } from './schema-check.js';
import { MetricsController } from './metrics.controller.js';
import { ModelTestController } from './model-test.controller.js';

@Module({
  imports: [MembershipModule, CryptoModule, EventsModule, RiskModule, IdempotencyModule],
  providers: [DatabaseGauges, Parts, PartsGuard, SchemaCheck],
  controllers: [HealthController, AdminStatusController, ModelTestController, MetricsController],
})
export class HealthModule {}
