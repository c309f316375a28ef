import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { AgentsModule } from './agents/agents.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuditReadingModule } from './audit-reading/audit-reading.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BacktestsModule } from './backtests/backtests.module.js';
import { BaseUrlsModule } from './base-urls/base-urls.module.js';
import { CallbacksModule } from './callbacks/callbacks.module.js';
import { ConfigurationModule } from './configuration/configuration.module.js';
import { ChannelsModule } from './channels/channels.module.js';
import { CryptoModule } from './crypto/crypto.module.js';
import { DiscoveryModule } from './discovery/discovery.module.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { EventsModule } from './events/events.module.js';
import { FiguresModule } from './figures/figures.module.js';
import { HealthModule } from './health/health.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { ObservabilityModule } from './observability/observability.module.js';
import type { Clock } from './platform/clock.js';
import type { Config } from './platform/config.js';
import { PlatformModule } from './platform/platform.module.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { RiskModule } from './risk/risk.module.js';
import { RulesModule } from './rules/rules.module.js';
import { ServicesModule } from './services/services.module.js';
import { SlackModule } from './slack/slack.module.js';
import { WebPushModule } from './web-push/web-push.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

@Module({})
export class AppModule {
  static with(config: Config, log: Logger, clock: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot(config, log, clock),
        ObservabilityModule,
        ScheduleModule.forRoot(),
        // First, because Express tries routes in the order of registration, and these get the most requests.
        ProxyModule,
        BaseUrlsModule,
        McpModule,
        ApprovalsModule,
        CallbacksModule,
        ChannelsModule,
        SlackModule,
        RiskModule,
        AgentsModule,
        ServicesModule,
        DocumentationModule,
        RulesModule,
        BacktestsModule,
        FiguresModule,
        AuditReadingModule,
        EventsModule,
        AuthModule,
        WorkspacesModule,
        WebPushModule,
        ConfigurationModule,
        DiscoveryModule,
        CryptoModule,
        HealthModule,
      ],
    };
  }
}
