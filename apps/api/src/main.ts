import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { migrate } from '#database';
import { createApp } from './create-app.js';
import { CredentialCipher } from './crypto/credential-cipher.js';
import { bindOldValues } from './encrypted.js';
import { BackgroundWork } from './platform/background.js';
import { Clock } from './platform/clock.js';
import type { Config } from './platform/config.js';
import { ConfigError, loadConfig } from './platform/load-config.js';
import { Drain, NOTICE_MS } from './platform/http/drain.js';
import { createLog } from './platform/logging.js';
import { EventHub } from './events/event-hub.js';

const config = readConfig();
const clock = new Clock();
const log = createLog(config.http.logLevel, clock);

let started = false;

/**
 * The last resort for errors that no code caught, in a stream, a timer, a listener or a rejected promise. The process
 * continues: one bug must not end all requests in progress (docs/adr/0073-uncaught-exceptions.md).
 */
process.on('uncaughtException', (err) => {
  log.fatal({ err }, 'uncaught exception');
  if (!started) process.exit(1);
});

try {
  if (config.database.migrateAtStart) await migrate(config.database.connection);
  const app = await createApp(config, log, clock);
  app.get(Drain).watch(app.getHttpServer());
  await app.listen(config.http.port, config.http.host);
  started = true;
  log.info({ address: await app.getUrl() }, 'listening');
  app
    .get(BackgroundWork)
    .run('binding of encrypted values', () => bindOldValues(app.get(DataSource), app.get(CredentialCipher)));

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    log.info({ signal }, 'stopping');
    await app.get(EventHub).stop();
    // SIGTERM comes from an orchestrator, whose load balancer needs time to notice. Ctrl-C comes from a person who
    // waits.
    await app.get(Drain).run(app.getHttpServer(), signal === 'SIGTERM' ? NOTICE_MS : 0);
    await app.get(BackgroundWork).drain();
    await app.close();
    log.info({}, 'stopped');
    process.exit(0);
  };
  const stopOrDie = (signal: NodeJS.Signals): void => {
    stop(signal).catch((err: unknown) => {
      log.fatal({ err }, 'could not stop');
      process.exit(1);
    });
  };
  process.once('SIGTERM', stopOrDie);
  process.once('SIGINT', stopOrDie);
} catch (err) {
  log.fatal({ err }, 'could not start');
  process.exit(1);
}

function readConfig(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
