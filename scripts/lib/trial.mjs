/**
 * The trial mode: a gateway with everything that it needs in one directory. `npm start` and the demo use it. Depends on
 * node: built-ins, and on `pg` and the built `libs/database` after packages are installed.
 */
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { readIfExists, writeWhole } from './files.mjs';
import { startGateway } from './gateway-child.mjs';
import { startPostgres } from './postgres.mjs';
import { loadSecrets } from './secrets.mjs';
import { ROOT } from './toolchain.mjs';

const FIRST_PORT = 3000;
const PORTS_TO_TRY = 100;
const OLLAMA = 'http://127.0.0.1:11434/v1';

/**
 * @typedef {object} Model
 * @property {string} baseUrl
 * @property {string | null} name null: the gateway's default
 * @property {boolean} assumed true: not configured, so this is Ollama's default address
 * @property {boolean} answers false also when it was not tried
 *
 * @typedef {object} Surroundings what a gateway needs
 * @property {string} url where the gateway will answer
 * @property {boolean} reachableByOthers true: other machines can connect, since it does not listen only on loopback
 * @property {NodeJS.ProcessEnv} env the gateway's environment
 * @property {Model} model
 * @property {Promise<Error | null>} databaseExited null: stopped; an Error: PostgreSQL ended by itself
 * @property {() => Promise<void>} stop stops PostgreSQL
 *
 * @typedef {object} TrialGateway
 * @property {string} logFile
 * @property {() => Promise<void>} stop drains the gateway, then stops PostgreSQL
 * @property {() => void} kill kills the gateway immediately, even with requests in flight
 * @property {Promise<Error | null>} exited null: stopped; an Error: something ended by itself (the rest is then still
 * up)
 *
 * @typedef {Omit<Surroundings, 'stop' | 'databaseExited'> & TrialGateway} Trial
 */

/**
 * @param {{dataDir: string, env?: NodeJS.ProcessEnv, log?: (line: string) => void, verbose?: boolean}} options `env`
 *   overrides all generated settings; `verbose`: the gateway's log goes to the terminal instead of a file
 * @returns {Promise<Trial>}
 */
export async function startTrial({ dataDir, env, log, verbose = false }) {
  const surroundings = await prepareTrial({ dataDir, env, log });
  const logFile = join(dataDir, 'gateway.log');
  try {
    const gateway = await startGateway(surroundings.env, surroundings.url, verbose ? null : logFile);
    let stopping = false;
    return {
      ...surroundings,
      logFile,
      kill: gateway.kill,
      stop: async () => {
        stopping = true;
        await gateway.stop();
        await surroundings.stop();
      },
      exited: Promise.race([
        gateway.exited.then((failure) => (stopping ? null : failure)),
        surroundings.databaseExited,
      ]),
    };
  } catch (error) {
    await surroundings.stop();
    throw error;
  }
}

/**
 * Prepares everything except the gateway itself: a database, secrets, a port, a model.
 * @param {{dataDir: string, env?: NodeJS.ProcessEnv, log?: (line: string) => void}} options
 * @returns {Promise<Surroundings>}
 */
export async function prepareTrial({ dataDir, env: environment = process.env, log = () => {} }) {
  const given = withoutEmpty(await withSecretFiles(environment));
  // If root starts it, PostgreSQL runs as another user, who must be able to reach its data.
  fs.mkdirSync(dirname(dataDir), { recursive: true, mode: 0o711 });
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const running = join(dataDir, 'running.json');
  const postgres = given.DATABASE_URL ? null : await startPostgres({ dataDir, durable: true, log });
  if (postgres?.joined) {
    const { url } = JSON.parse(readIfExists(running) ?? '{}');
    throw new Error(
      `A trial already runs on ${dataDir}${url ? `: ${url}/dashboard` : ''}. Stop it first (Ctrl-C in its terminal).`,
    );
  }
  try {
    const databaseUrl = given.DATABASE_URL ?? /** @type {import('./postgres.mjs').Postgres} */ (postgres).url;
    const secrets = await loadSecrets({
      file: join(dataDir, 'secrets.json'),
      databaseHasData: async () =>
        !(given.ENCRYPTION_SECRET && given.ENCRYPTION_SALT) && (await hasTables(databaseUrl, environment)),
    });
    // On loopback only users of this machine can claim the installation. Otherwise anyone could, so it needs a token.
    const host = given.HOST ?? '127.0.0.1';
    const reachableByOthers = !/^(127\.|localhost$|::1$)/.test(host);
    const { SETUP_TOKEN, ...generated } = secrets;
    const port = given.PORT ? await chosenPort(given.PORT, host) : await firstFreePort(host);
    const url = `http://${hostInUrl(host)}:${port}`;
    const model = await findModel(given);
    /** @type {NodeJS.ProcessEnv} */
    const defaults = {
      ...generated,
      ...(reachableByOthers ? { SETUP_TOKEN } : { PUBLIC_URL: url }),
      ...(model.assumed ? { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'ollama' } : {}),
      ...(model.name ? { LLM_MODEL: model.name } : {}),
    };
    const env = { ...defaults, ...given, DATABASE_URL: databaseUrl, HOST: host, PORT: String(port) };
    writeWhole(running, JSON.stringify({ url, pid: process.pid }));
    return {
      url,
      reachableByOthers,
      env,
      model,
      databaseExited: postgres?.exited ?? new Promise(() => {}),
      stop: async () => {
        await postgres?.stop();
        fs.rmSync(running, { force: true });
      },
    };
  } catch (error) {
    await postgres?.stop();
    throw error;
  }
}

/** @returns {Promise<number>} */
async function chosenPort(/** @type {string} */ text, /** @type {string} */ host) {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error('PORT must be an integer from 1 to 65535');
  if (!(await canListen(port, host))) throw new Error(`PORT ${port} is in use: choose another, or unset PORT`);
  return port;
}

/** Port 3000, or the next free one. @returns {Promise<number>} */
async function firstFreePort(/** @type {string} */ host) {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS_TO_TRY; port++) {
    if (await canListen(port, host)) return port;
  }
  throw new Error(`Ports ${FIRST_PORT} to ${FIRST_PORT + PORTS_TO_TRY - 1} are all in use: set PORT`);
}

/** @returns {Promise<boolean>} */
function canListen(/** @type {number} */ port, /** @type {string} */ host) {
  return new Promise((answer, failed) => {
    const probe = createServer();
    probe.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') answer(false);
      else failed(new Error(`Cannot listen on HOST ${host}: ${error.message}`));
    });
    probe.listen(port, host, () => probe.close(() => answer(true)));
  });
}

function hostInUrl(/** @type {string} */ host) {
  // Browsers support passkeys on this name, but not on an IP address.
  if (host === '127.0.0.1' || host === '::1') return 'localhost';
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** `DATABASE_URL_FILE` and others, read as the gateway reads them. @returns {Promise<NodeJS.ProcessEnv>} */
async function withSecretFiles(/** @type {NodeJS.ProcessEnv} */ env) {
  if (!Object.keys(env).some((name) => name.endsWith('_FILE'))) return env;
  // Built by now.
  const loadConfig = await import(pathToFileURL(join(ROOT, 'dist/apps/api/src/platform/load-config.js')).href);
  return loadConfig.withSecretFiles(env);
}

/** An empty variable counts as unset, as in the gateway itself. @returns {NodeJS.ProcessEnv} */
function withoutEmpty(/** @type {NodeJS.ProcessEnv} */ env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
}

/** @returns {Promise<boolean>} */
async function hasTables(/** @type {string} */ databaseUrl, /** @type {NodeJS.ProcessEnv} */ env) {
  // Built by now. The gateway must read the same URL in the same way.
  const { DatabaseClient, DatabaseUrlError, UNLIMITED, parseConnection } = await import('#database');
  let to;
  try {
    to = parseConnection(databaseUrl.trim(), env);
  } catch (error) {
    if (error instanceof DatabaseUrlError) throw new Error(`DATABASE_URL ${error.message}`, { cause: error });
    throw error;
  }
  const client = new DatabaseClient({
    to,
    limits: UNLIMITED,
    applicationName: 'agent-gateway-start',
    connectMs: 5000,
    queryMs: 5000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const found = await client.query(
      "SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 1",
    );
    return found.rowCount === 1;
  } finally {
    await client.end();
  }
}

/** Without LLM_BASE_URL: Ollama, with its first model that can chat. @returns {Promise<Model>} */
async function findModel(/** @type {NodeJS.ProcessEnv} */ env) {
  const name = env.LLM_MODEL ?? null;
  if (env.LLM_BASE_URL) return { baseUrl: env.LLM_BASE_URL, name, assumed: false, answers: false };
  try {
    const response = await fetch(`${OLLAMA}/models`, { signal: AbortSignal.timeout(1500) });
    const { data } = /** @type {{data?: {id: string}[] | null}} */ (await response.json());
    const first = data?.map(({ id }) => id).find((id) => !id.includes('embed'));
    return { baseUrl: OLLAMA, name: name ?? first ?? null, assumed: true, answers: response.ok && first !== undefined };
  } catch {
    return { baseUrl: OLLAMA, name, assumed: true, answers: false };
  }
}
