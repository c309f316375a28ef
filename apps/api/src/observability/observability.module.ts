/**
 * What is counted and measured, for Prometheus. Every part may count; nothing here knows what a part does.
 */
import { Global, Module } from '@nestjs/common';
import { MetricsPage } from './metrics-page.js';
import { MetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';

@Global()
@Module({
  providers: [Metrics, MetricsPage, MetricsServer],
  exports: [Metrics, MetricsPage],
})
export class ObservabilityModule {}
