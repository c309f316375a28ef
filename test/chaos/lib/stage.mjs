/**
 * The setup of a scenario: instances of the gateway on one database, an API, a model, a user, services and an agent.
 */
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Agent, request } from 'undici';
import { freePort } from '../../../scripts/lib/free-port.mjs';
import { GatewayProcess } from './gateway-process.mjs';
import { startLedger, startModel } from './ledger.mjs';

const ACCOUNT = { email: 'chaos@example.com', password: randomUUID() };

/**
 * @typedef {object} Answer
 * @property {number} status 0: there was no answer
 * @property {Record<string, any>} headers
 * @property {string} text
 * @property {number} ms how long it took
 * @property {string} [error] why there was none
 */

export class Stage {
  /** @type {GatewayProcess[]} */
  instances = [];
  token = '';
  agentKey = '';
  /** @type {Record<string, number>} */
  serviceIds = {};
  #turn = 0;
  #http = new Agent({ connections: null, headersTimeout: 90_000, bodyTimeout: 90_000, keepAliveTimeout: 1000 });

  /**
   * @param {Awaited<ReturnType<typeof startLedger>>} ledger
   * @param {Awaited<ReturnType<typeof startModel>>} model
   * @param {pg.Pool} database
   */
  constructor(ledger, model, database) {
    this.ledger = ledger;
    this.model = model;
    this.database = database;
  }

  /** The next instance in turn, up or down, as a balancer without health checks picks it. */
  next() {
    return this.instances[this.#turn++ % this.instances.length];
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{body?: unknown, headers?: Record<string, string>, origin?: string}} [options]
   * @returns {Promise<Answer>}
   */
  async call(method, path, { body, headers = {}, origin = this.next().origin } = {}) {
    const startMs = performance.now();
    try {
      const response = await request(origin + path, {
        method: /** @type {any} */ (method),
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? undefined : JSON.stringify(body),
        dispatcher: this.#http,
      });
      const text = await response.body.text();
      return { status: response.statusCode, headers: response.headers, text, ms: performance.now() - startMs };
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      return { status: 0, headers: {}, text: '', ms: performance.now() - startMs, error: code ?? message };
    }
  }

  /**
   * `POST /proxy` for `<service>/<id>`.
   * @param {{service?: string, id: string, method?: string, key?: string, origin?: string, body?: string, prefer?:
   * string}} given
   */
  proxy({ service = 'ruled', id, method = 'GET', key, origin, body, prefer }) {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    return this.call('POST', '/proxy', {
      origin,
      headers: {
        'agent-key': this.agentKey,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(prefer === undefined ? {} : { prefer }),
      },
      body: {
        targetUrl: this.target(service, id),
        method,
        intent: 'under fire',
        ...(hasBody ? { body: body ?? JSON.stringify({ id }) } : {}),
      },
    });
  }

  /** @param {string} service @param {string} id */
  target(service, id) {
    return `http://127.0.0.1:${this.ledger.port}/${service}/${id}`;
  }

  /** @param {string} method @param {string} path @param {unknown} [body] @param {string} [origin] */
  admin(method, path, body, origin) {
    return this.call(method, path, { body, origin, headers: { authorization: `Bearer ${this.token}` } });
  }

  /**
   * Like `admin`, but throws unless it succeeds.
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   */
  async made(method, path, body) {
    const answer = await this.admin(method, path, body);
    if (answer.status < 200 || answer.status > 299)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text);
  }

  logIn() {
    return this.made('POST', '/auth/login', ACCOUNT);
  }

  /** @param {string} sql @param {unknown[]} [values] */
  async rows(sql, values) {
    return (await this.database.query(sql, values)).rows;
  }

  /** Makes open claims look as old as if their process had died ten minutes ago. @param {number} [share] of them */
  async ageClaims(share = 1) {
    await this.database.query(
      `UPDATE idempotency_records SET created_at = created_at - interval '10 minutes'
       WHERE status = 'processing' AND action_id IS NULL AND random() < $1`,
      [share],
    );
    await this.database.query(
      `UPDATE actions SET claimed_at = claimed_at - interval '10 minutes' WHERE claim_id IS NOT NULL AND random() < $1`,
      [share],
    );
  }

  async close() {
    await Promise.all(this.instances.map((instance) => instance.kill()));
    await this.#http.destroy();
    await this.database.end();
    await this.ledger.close();
    await this.model.close();
  }
}

/**
 * @param {object} options
 * @param {string} options.databaseUrl where the scenario reads the database
 * @param {string} [options.gatewayDatabaseUrl] where the gateway connects, if it is another URL
 * @param {number} [options.instances]
 * @param {number} [options.modelDelayMs]
 * @param {number} [options.upstreamDelayMs] at most
 * @param {Record<string, string>} [options.environment]
 */
export async function setStage({
  databaseUrl,
  gatewayDatabaseUrl = databaseUrl,
  instances = 1,
  modelDelayMs,
  upstreamDelayMs,
  environment = {},
}) {
  const [ledger, model] = await Promise.all([
    startLedger({ maxDelayMs: upstreamDelayMs }),
    startModel({ delayMs: modelDelayMs }),
  ]);
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4, application_name: 'chaos' });
  database.on('error', () => {});
  const stage = new Stage(ledger, model, database);
  const { PRIVATE_TARGET_ALLOWLIST: more, ...rest } = environment;
  const common = {
    NODE_ENV: 'production',
    DATABASE_URL: gatewayDatabaseUrl,
    JWT_SECRET: randomUUID(),
    JWT_ACCESS_EXPIRY: '6h',
    ENCRYPTION_SECRET: randomUUID(),
    LLM_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
    LLM_API_KEY: 'none',
    RISK_CACHE_SECONDS: '0',
    PRIVATE_TARGET_ALLOWLIST: [`127.0.0.1:${ledger.port}`, more].filter(Boolean).join(','),
    LOG_LEVEL: process.env.CHAOS_LOG ?? 'warn',
    ...rest,
  };
  for (let index = 0; index < instances; index++) {
    stage.instances.push(new GatewayProcess(await freePort(), common));
  }
  await Promise.all(stage.instances.map((instance) => instance.start()));

  await stage.made('POST', '/auth/register', ACCOUNT);
  stage.token = (await stage.logIn()).accessToken;
  const effects = { ruled: 'allow', judged: null, held: 'require_approval' };
  for (const [name, effect] of Object.entries(effects)) {
    const { id } = await stage.made('POST', '/services', {
      name,
      baseUrl: `http://127.0.0.1:${ledger.port}/${name}`,
      authType: 'bearer',
      credentials: { token: 'chaos-upstream-token' },
    });
    stage.serviceIds[name] = id;
    if (effect) await stage.made('POST', `/services/${id}/risk-rules`, { name: effect, effect });
  }
  const serviceIds = Object.values(stage.serviceIds);
  stage.agentKey = (await stage.made('POST', '/agents', { name: 'chaos', serviceIds })).apiKey;
  return stage;
}

/** @param {() => unknown} condition @param {number} limitMs @returns {Promise<number>} ms until it held; Infinity: never */
export async function until(condition, limitMs) {
  const startMs = performance.now();
  for (;;) {
    if (await condition()) return performance.now() - startMs;
    if (performance.now() - startMs > limitMs) return Infinity;
    await delay(25);
  }
}

/** @param {number[]} values @param {number} q */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}
