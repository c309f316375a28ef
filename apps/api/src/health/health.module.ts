/**
 * Liveness, readiness, and the status page of the dashboard. Depends on every module that it reports on.
 */
import { Module } from '@nestjs/common';
import { MembershipModule } from '../membership/membership.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { EventsModule } from '../events/events.module.js';
import { RiskModule } from '../risk/risk.module.js';
import { AdminStatusController } from './admin-status.controller.js';
import { HealthController } from './health.controller.js';
import { ModelTestController } from './model-test.controller.js';

@Module({
  imports: [MembershipModule, CryptoModule, EventsModule, RiskModule],
  controllers: [HealthController, AdminStatusController, ModelTestController],
})
export class HealthModule {}
