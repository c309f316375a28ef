/**
 * The base of all modules: configuration, clock, log, background work, the database. Depends only on libs/.
 */
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '#database';
import { BackgroundWork } from './background.js';
import { Clock } from './clock.js';
import {
  AgentsConfig,
  ApprovalsConfig,
  AuditConfig,
  AuthConfig,
  CryptoConfig,
  DatabaseConfig,
  EgressConfig,
  HttpConfig,
  MailConfig,
  MetricsConfig,
  RiskConfig,
  type Config,
} from './config.js';
import { Drain } from './http/drain.js';
import { Log } from './logging.js';
import { Mailer } from './mailer.js';
import { Retention } from './retention.js';
import { SqlPool } from './fast-lane/sql-pool.js';
import { Turns } from './turns.js';

/** The injection token of the complete configuration. Only the status page uses it. */
export const CONFIG = Symbol('config');

@Global()
@Module({})
export class PlatformModule {
  static forRoot(config: Config, log: Log, clock: Clock): DynamicModule {
    const { connection, poolSize, timeouts } = config.database;
    const providers = [
      { provide: Clock, useValue: clock },
      BackgroundWork,
      Drain,
      SqlPool,
      Retention,
      Mailer,
      Turns,
      { provide: Log, useValue: log },
      { provide: CONFIG, useValue: config },
      { provide: HttpConfig, useValue: config.http },
      { provide: DatabaseConfig, useValue: config.database },
      { provide: AuthConfig, useValue: config.auth },
      { provide: CryptoConfig, useValue: config.crypto },
      { provide: RiskConfig, useValue: config.risk },
      { provide: ApprovalsConfig, useValue: config.approvals },
      { provide: EgressConfig, useValue: config.egress },
      { provide: MailConfig, useValue: config.mail },
      { provide: AuditConfig, useValue: config.audit },
      { provide: AgentsConfig, useValue: config.agents },
      { provide: MetricsConfig, useValue: config.metrics },
    ];
    return {
      module: PlatformModule,
      imports: [TypeOrmModule.forRoot(dataSourceOptions(connection, poolSize, timeouts))],
      providers,
      exports: providers,
    };
  }
}
