/**
 * Liveness, readiness, and the status page of the dashboard. Depends on everything it reports about.
 */
import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

@Module({ controllers: [HealthController] })
export class HealthModule {}
