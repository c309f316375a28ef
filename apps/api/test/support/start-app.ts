import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino, type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { migrate, type DatabaseTimeouts } from '#database';
import { createApp } from '../../src/create-app.js';
import { EventHub } from '../../src/events/event-hub.js';
import { BackgroundWork } from '../../src/platform/background.js';
import { Clock } from '../../src/platform/clock.js';
import type { Config, EgressTimeouts } from '../../src/platform/config.js';
import { loadConfig } from '../../src/platform/load-config.js';
import { Drain } from '../../src/platform/http/drain.js';
import { createLog } from '../../src/platform/logging.js';
import { createMigratedDatabase } from './databases.js';
import { allowOneConnection } from './one-connection.js';

/** A clock that tests can move. It also runs on its own. */
class TestClock extends Clock {
  private offsetMs = 0;
  private passedMs = 0;

  override now(): Date {
    return new Date(this.nowMs());
  }

  override nowMs(): number {
    return super.nowMs() + this.offsetMs;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.passedMs;
  }

  /** Makes work in progress take this much longer. */
  pass(ms: number): void {
    this.passedMs += ms;
  }

  /** @returns by how many milliseconds it moved */
  advance({ ms = 0, seconds = 0, minutes = 0, hours = 0 }): number {
    const byMs = ms + 1000 * (seconds + 60 * (minutes + 60 * hours));
    this.offsetMs += byMs;
    return byMs;
  }
}

export interface TestApp {
  /** `http://127.0.0.1:<port>` */
  url: string;
  app: NestExpressApplication;
  config: Config;
  clock: TestClock;
  database: DataSource;
  databaseUrl: string;
  /** Moves the clock of this instance and that of its database. */
  advance(by: Parameters<TestClock['advance']>[0]): Promise<void>;
  /** Waits for background work: audit results, last-used timestamps. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A busy machine takes longer than a database may take. Its timeouts are tested on gateways in processes of their own
 * (test/chaos/database.mjs, containment-rare.drill.ts).
 */
const PATIENT: DatabaseTimeouts = { connectMs: 60_000, queryMs: 60_000 };

/** Default settings; tests override some of them. */
export function testEnvironment(databaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '10',
    JWT_SECRET: 'test-jwt-secret',
    ENCRYPTION_SECRET: 'test-encryption-secret-of-32-characters',
    // Nothing listens here: without a fake model, the failure rule of the heuristic applies.
    LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    LLM_API_KEY: 'test-llm-key',
    // Most tests say how the model answers the requests that they send, and count its calls.
    RISK_ASSESS_HELD: 'false',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
  };
}

/** The gateway's own log has a timer that never ends, which would keep each gateway of this process in memory. */
function createTestLog({ http }: Config): Logger {
  return http.logLevel === 'silent' ? pino({ level: 'silent' }) : createLog(http.logLevel, new Clock());
}

/**
 * The whole gateway on a real PostgreSQL, in this process. Pass `DATABASE_URL` to share the database of another
 * instance.
 * @param timeouts that a test waits for
 */
export async function startApp(
  overrides: Record<string, string> = {},
  timeouts: Partial<EgressTimeouts> = {},
): Promise<TestApp> {
  const databaseUrl = overrides.DATABASE_URL ?? (await createMigratedDatabase());
  const loaded = loadConfig({ ...testEnvironment(databaseUrl), ...overrides });
  const config = {
    ...loaded,
    database: { ...loaded.database, timeouts: PATIENT },
    egress: { ...loaded.egress, timeouts: { ...loaded.egress.timeouts, ...timeouts } },
  };
  if (overrides.DATABASE_URL) await migrate(config.database.connection);
  const clock = new TestClock();
  const app = await createApp(config, createTestLog(config), clock);
  allowOneConnection(app.get(DataSource));
  app.get(Drain).watch(app.getHttpServer());
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const background = app.get(BackgroundWork);
  return {
    url: `http://127.0.0.1:${port}`,
    app,
    config,
    clock,
    databaseUrl,
    database: app.get(DataSource),
    advance: async (by) => {
      const seconds = clock.advance(by) / 1000;
      const database = app.get(DataSource);
      await database.query('UPDATE test_clock.shift SET by = by + make_interval(secs => $1)', [seconds]);
    },
    settled: () => background.drain(),
    close: async () => {
      await app.get(EventHub).stop();
      // As in main.ts. Without it, the app waits for connections that browsers keep open or have opened in advance.
      await app.get(Drain).run(app.getHttpServer(), 0);
      await background.drain();
      await app.close();
    },
  };
}
