/**
 * Services and agents change without pause. Requests of other agents, in the same account and in another one, take two
 * seconds each because the model is slow; they are neither refused nor assessed again. Then ten thousand agents send
 * requests while their own services change all the time, and the figures show what that costs.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Report } from './lib/report.mjs';
import { quantile, setStage } from './lib/stage.mjs';

const REQUESTS = 1000;
const AT_ONCE = 100;
const CHANGES_PER_SECOND = 200;
const AGENTS = 10_000;
const SERVICES = 100;
const LANES = 64;
/** Services that are changed, each with an agent. */
const PAIRS = 20;

/** @typedef {import('./lib/stage.mjs').Stage} Stage */
/** @typedef {import('./lib/stage.mjs').Answer} Answer */

/** @param {{databaseUrl: string, modelDelayMs?: number, requests?: number, agents?: number, seconds?: number}} options */
export async function churn({ databaseUrl, modelDelayMs = 2000, requests = REQUESTS, agents = AGENTS, seconds = 10 }) {
  const report = new Report(
    `${CHANGES_PER_SECOND} changes a second elsewhere, ${requests} requests with a model of ${modelDelayMs} ms, two instances`,
  );
  const stage = await setStage({
    databaseUrl,
    instances: 2,
    modelDelayMs,
    environment: { ALLOW_REGISTRATION: 'true', PRIVATE_TARGET_ACCESS: 'all' },
  });
  try {
    const other = { email: 'other@example.com', password: randomUUID() };
    await stage.made('POST', '/auth/register', other);
    const { accessToken } = await stage.made('POST', '/auth/login', other);
    for (const [where, token] of [
      ['in the same account', stage.token],
      ['in another account', accessToken],
    ]) {
      await elsewhere(stage, report, where, token, requests);
    }
    await ownServices(stage, report, agents, seconds);
  } finally {
    await stage.close();
  }
  return report;
}

/** @param {Stage} stage @param {Report} report @param {string} where @param {string} token @param {number} requests */
async function elsewhere(stage, report, where, token, requests) {
  const change = await changes(stage, token);
  const asked = stage.model.calls;
  const changing = everySecond(CHANGES_PER_SECOND, change);
  const answers = await lanes(AT_ONCE, requests, (n) =>
    stage.proxy({ service: 'judged', id: randomUUID(), ...(n % 2 ? { method: 'POST', key: randomUUID() } : {}) }),
  );
  const made = await changing.stop();
  const again = stage.model.calls - asked - requests;
  report.figure(`${where}: changes a second`, made.perSecond);
  report.figure(`${where}: requests assessed again`, again);
  report.check(`${where}: every change was made`, made.failed.length === 0, made.failed.slice(0, 3));
  report.check(`${where}: at least half of the intended changes`, made.perSecond >= CHANGES_PER_SECOND / 2);
  report.check(`${where}: no request was refused`, ...all200(answers));
  report.check(`${where}: at most 1 % were assessed again`, again <= requests / 100, again);
}

/** Changes services and agents of this account in every way, in turn. @param {Stage} stage @param {string} token */
async function changes(stage, token) {
  const headers = { authorization: `Bearer ${token}` };
  /** @param {string} method @param {string} path @param {unknown} body */
  const admin = (method, path, body) => stage.call(method, path, { headers, body });
  const credentials = { token: 'busy' };
  /** @type {{service: number, agent: number}[]} */
  const pairs = [];
  for (let n = 0; n < PAIRS; n++) {
    const service = { name: 'Busy', baseUrl: 'https://busy.example.com', authType: 'bearer', credentials };
    const { id } = JSON.parse((await admin('POST', '/services', service)).text);
    const { agent } = JSON.parse((await admin('POST', '/agents', { name: 'busy', serviceIds: [id] })).text);
    pairs.push({ service: id, agent: agent.id });
  }
  return (/** @type {number} */ n) => {
    const { service, agent } = pairs[n % PAIRS];
    const kinds = [
      () => admin('PUT', `/services/${service}`, { name: `Busy ${n}` }),
      () => admin('POST', `/services/${service}/credentials`, { credentials }),
      () => admin('PUT', `/agents/${agent}`, { name: `busy ${n}` }),
      () => admin('PUT', `/agents/${agent}/services`, { serviceIds: [service] }),
      () => admin('PUT', `/services/${service}`, { baseUrl: `https://busy.example.com/${n}` }),
    ];
    return kinds[Math.floor(n / PAIRS) % kinds.length]();
  };
}

/** @param {Stage} stage @param {Report} report @param {number} count of agents @param {number} seconds of each phase */
async function ownServices(stage, report, count, seconds) {
  const keys = await addAgents(stage, count);
  const target = (/** @type {number} */ service) => `${stage.target('many', String(service))}/${randomUUID()}`;
  const drive = () =>
    forSeconds(LANES, seconds, () => {
      const n = Math.floor(Math.random() * count);
      return stage.call('POST', '/proxy', {
        headers: { 'agent-key': keys[n] },
        body: { targetUrl: target(n % SERVICES), method: 'GET', intent: 'look' },
      });
    });
  await drive();
  const idle = await drive();
  const changing = everySecond(CHANGES_PER_SECOND, (n) =>
    stage.database
      .query('UPDATE services SET credentials_rotated_at = now() WHERE name = $1', [`many ${n % SERVICES}`])
      .then(() => ({ status: 200 })),
  );
  const during = await drive();
  const made = await changing.stop();
  const name = `${count} agents, their ${SERVICES} services changed ${Math.round(made.perSecond)} times a second`;
  report.figure(
    `${name}: requests a second, idle and under changes`,
    `${rate(idle, seconds)}, ${rate(during, seconds)}`,
  );
  report.figure(
    `${name}: p50 and p99 under changes, ms`,
    [0.5, 0.99]
      .map((q) =>
        quantile(
          during.map(({ ms }) => ms),
          q,
        ).toFixed(0),
      )
      .join(', '),
  );
  report.check(`${count} agents: no request was refused`, ...all200(during));
}

/** @param {Stage} stage @param {number} count @returns {Promise<string[]>} their keys */
async function addAgents(stage, count) {
  const keys = Array.from({ length: count }, () => `agt_${randomBytes(32).toString('hex')}`);
  const hashes = keys.map((key) => createHash('sha256').update(key).digest('hex'));
  const [{ id: user }] = await stage.rows('SELECT min(id) AS id FROM users');
  const services = await stage.rows(
    `WITH made AS (
       INSERT INTO services (user_id, name, base_url, auth_type, created_at, updated_at)
       SELECT $1, 'many ' || n, $2 || '/' || n, 'bearer', now(), now() FROM generate_series(0, $3::int - 1) n RETURNING id)
     INSERT INTO risk_rules (service_id, name, effect, methods, path_pattern, instruction, agent_ids, is_active, created_at, updated_at)
     SELECT id, 'allow', 'allow', '{}', '', '', '{}', true, now(), now() FROM made RETURNING service_id AS id`,
    [user, `http://127.0.0.1:${stage.ledger.port}/many`, SERVICES],
  );
  for (const { id } of services) {
    await stage.made('POST', `/services/${id}/credentials`, { credentials: { token: 'chaos-upstream-token' } });
  }
  await stage.rows(
    `INSERT INTO agents (user_id, name, key_hash, key_prefix, is_active, created_at, updated_at)
     SELECT $1, 'agent ' || n, hash, lpad(n::text, 12, '0'), true, now(), now()
     FROM unnest($2::text[]) WITH ORDINALITY g(hash, n)`,
    [user, hashes],
  );
  await stage.rows(
    `INSERT INTO agent_services (agent_id, service_id)
     SELECT a.id, s.id FROM unnest($1::text[]) WITH ORDINALITY g(hash, n)
     JOIN agents a ON a.key_hash = g.hash JOIN services s ON s.name = 'many ' || (g.n - 1) % $2::int`,
    [hashes, SERVICES],
  );
  await stage.rows('ANALYZE');
  return keys;
}

/** @param {Answer[]} answers @returns {[boolean, unknown]} */
function all200(answers) {
  const odd = answers.filter(({ status }) => status !== 200);
  return [
    odd.length === 0,
    odd.slice(0, 3).map(({ status, text, error }) => `${status} ${text.slice(0, 120)} ${error ?? ''}`),
  ];
}

/** @param {Answer[]} answers @param {number} seconds */
const rate = (answers, seconds) => Math.round(answers.length / seconds);

/** @param {number} count @param {number} total @param {(n: number) => Promise<Answer>} ask */
async function lanes(count, total, ask) {
  /** @type {Answer[]} */
  const answers = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (next < total) answers.push(await ask(next++));
    }),
  );
  return answers;
}

/** @param {number} count @param {number} seconds @param {() => Promise<Answer>} ask */
async function forSeconds(count, seconds, ask) {
  const endMs = performance.now() + seconds * 1000;
  /** @type {Answer[]} */
  const answers = [];
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (performance.now() < endMs) answers.push(await ask());
    }),
  );
  return answers;
}

/**
 * Runs `work` at this rate until it is stopped.
 * @param {number} rate
 * @param {(n: number) => Promise<{status: number, text?: string}>} work
 */
function everySecond(rate, work) {
  const startMs = performance.now();
  let begun = 0;
  /** @type {string[]} */
  const failed = [];
  /** @type {Set<Promise<void>>} */
  const open = new Set();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startMs) / 1000) * rate);
    while (begun < due && open.size < 50) {
      const one = work(begun++).then(({ status, text = '' }) => {
        if (status >= 300 || status === 0) failed.push(`${status} ${text.slice(0, 100)}`);
        open.delete(one);
      });
      open.add(one);
    }
  }, 5);
  return {
    async stop() {
      clearInterval(timer);
      const perSecond = begun / ((performance.now() - startMs) / 1000);
      await Promise.all(open);
      return { perSecond, failed };
    },
  };
}
