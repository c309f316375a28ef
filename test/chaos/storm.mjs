/**
 * One agent has 10,000 requests held, half of what `AGENT_MAX_PENDING` allows. Each person gets two notifications, and
 * then at most one a minute with a count. Requests of another workspace stay as fast as before, also while the webhook
 * gets its 10,000.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Receivers } from './lib/receivers.mjs';
import { Report } from './lib/report.mjs';
import { quantile, setStage, until } from './lib/stage.mjs';
import { makeWorkspace } from './lib/workspace.mjs';

const EVENTS = ['approval.requested'];
const TIMES_IDLE = 3;
const TIMES_UNTOLD = 2;
/** Below this, a quantile of idle requests is noise of the machine. */
const FLOOR_MS = 5;
const PAUSE_MS = 10;
const SINGLE = 2;
/** A minute, less the possible difference between two delivery times. */
const MINUTE_MS = 58_000;
/** Long enough for two digests. */
const WATCHED_MS = 2 * 60_000 + 10_000;
const DRAIN_MS = 3 * 60_000;
const IN_FLIGHT = 64;
const MEMORY_LIMIT_MB = 60;

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.requests
 * @param {number} options.perSecond
 * @param {number} options.idleSeconds
 */
export async function storm({ databaseUrl, requests, perSecond, idleSeconds }) {
  const report = new Report(`A storm of ${requests} held requests of one agent`);
  const receivers = await Receivers.start();
  const environment = {
    PRIVATE_CHANNEL_ALLOWLIST: receivers.hostAndPort,
    PUBLIC_URL: 'https://gateway.example.com',
    ALLOW_REGISTRATION: 'true',
    // The API of every workspace is on loopback.
    PRIVATE_TARGET_ACCESS: 'all',
  };
  const stage = await setStage({ databaseUrl, instances: 2, environment });
  try {
    const workspace = await makeWorkspace(stage, 'storm');
    const people = await addPeople(stage, workspace, receivers);
    await workspace.made('POST', '/channels', {
      type: 'webhook',
      name: 'all',
      events: EVENTS,
      target: `${receivers.url}/webhook/all`,
    });
    const webhooks = () => receivers.all.filter(({ medium }) => medium === 'webhook');
    const rssMb = () => Math.max(...stage.instances.map((instance) => instance.rssMb()));

    await probe(stage, delay(2000));
    const idle = await probe(stage, delay(idleSeconds * 1000));
    /** @type {string[]} */
    const failed = [];
    const silent = await makeWorkspace(stage, 'without channels');
    const untold = await probe(stage, holdAll(silent, perSecond * idleSeconds, perSecond, failed));
    const startMs = performance.now();
    const during = await probe(stage, holdAll(workspace, requests, perSecond, failed));
    const heldMs = performance.now() - startMs;
    const left = requests - webhooks().length;
    const middleMb = rssMb();
    const drained = until(() => webhooks().length >= requests, DRAIN_MS);
    const after = await probe(
      stage,
      Promise.all([drained, delay(Math.max(0, startMs + WATCHED_MS - performance.now()))]),
    );

    report.figure('held requests a second', requests / (heldMs / 1000));
    report.figure('webhooks that were left when the last request was held', left);
    report.figure('until those were sent, s', (await drained) / 1000);
    for (const person of people) reportPerson(report, person, receivers, startMs);
    report.check('every request was held', failed.length === 0, failed.slice(0, 5));
    const ids = webhooks().map(({ id }) => id);
    report.check(
      'the webhook got each request once',
      ids.length === requests && new Set(ids).size === requests,
      ids.length,
    );
    const [calm, quiet, stormy, draining] = [idle, untold, during, after].map(({ ms }) => quantile(ms, 0.99));
    report.figure('p99 of another workspace: idle, ms', calm);
    report.figure('p99 of another workspace: as many are held, and nobody is told, ms', quiet);
    report.figure('p99 of another workspace: during the storm, ms', stormy);
    report.figure('p99 of another workspace: while the outbox drains, ms', draining);
    const limit = TIMES_IDLE * Math.max(calm, FLOOR_MS);
    report.check(
      `while the outbox drains: p99 within ${TIMES_IDLE} times idle`,
      draining <= limit,
      `${draining} > ${limit}`,
    );
    // Holding requests has a cost of its own.
    const more = TIMES_UNTOLD * Math.max(quiet, FLOOR_MS);
    report.check(
      `during the storm: p99 within ${TIMES_UNTOLD} times that without channels`,
      stormy <= more,
      `${stormy} > ${more}`,
    );
    const wrong = [...during.wrong, ...after.wrong];
    report.check('another workspace was served throughout', wrong.length === 0, wrong.slice(0, 5));
    const [first, maximum] = [idle.rssMb, Math.max(during.rssMb, middleMb, after.rssMb)];
    report.figure('RSS idle, and its maximum, MB', `${first.toFixed(0)}, ${maximum.toFixed(0)}`);
    report.check(`memory within ${MEMORY_LIMIT_MB} MB`, maximum - first <= MEMORY_LIMIT_MB, maximum - first);
  } finally {
    await stage.close();
    await receivers.close();
  }
  return report;
}

/**
 * The owner and two approvers, each with a channel.
 * @param {import('./lib/stage.mjs').Stage} stage
 * @param {import('./lib/workspace.mjs').Workspace} workspace
 * @param {Receivers} receivers
 */
async function addPeople(stage, workspace, receivers) {
  const tokens = { owner: stage.token };
  for (const name of ['approver 1', 'approver 2']) {
    const account = { email: `${name.replace(' ', '-')}@example.com`, password: randomUUID() };
    await stage.made('POST', '/auth/register', account);
    const { accessToken } = await stage.made('POST', '/auth/login', account);
    await stage.rows(
      `INSERT INTO workspace_members (workspace_id, user_id, role, joined_at) SELECT $1, id, 'approver', now() FROM users WHERE email = $2`,
      [workspace.id, account.email],
    );
    Object.assign(tokens, { [name]: accessToken });
  }
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await stage.call('POST', '/channels', {
      body: { type: 'ntfy', name, events: EVENTS, target: receivers.url + ntfyPath(name) },
      headers: { authorization: `Bearer ${token}`, 'x-workspace-id': String(workspace.id) },
    });
    if (answer.status !== 201) throw new Error(`channel: ${answer.status} ${answer.text}`);
  }
  return Object.keys(tokens);
}

/** @param {string} person */
const ntfyPath = (person) => `/ntfy/${person.replace(' ', '-')}`;

/** @param {import('./lib/workspace.mjs').Workspace} workspace @param {number} requests @param {number} perSecond @param {string[]} failed */
async function holdAll(workspace, requests, perSecond, failed) {
  const startMs = performance.now();
  let next = 0;
  const work = async () => {
    for (let n = next++; n < requests; n = next++) {
      const waitMs = startMs + (n * 1000) / perSecond - performance.now();
      if (waitMs > 1) await delay(waitMs);
      await workspace.hold().catch((error) => failed.push(String(error)));
    }
  };
  // Fewer at a time than AGENT_MAX_IN_FLIGHT.
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

/**
 * Sends requests of another workspace, one after the other, until `end` resolves.
 * @param {import('./lib/stage.mjs').Stage} stage
 * @param {Promise<unknown>} end
 */
async function probe(stage, end) {
  const found = { ms: /** @type {number[]} */ ([]), wrong: /** @type {unknown[]} */ ([]), rssMb: 0 };
  let running = true;
  const stop = end.finally(() => (running = false));
  while (running) {
    const { ms, status, error } = await stage.proxy({ id: randomUUID() });
    found.ms.push(ms);
    if (status !== 200) found.wrong.push([status, error]);
    found.rssMb = Math.max(found.rssMb, ...stage.instances.map((instance) => instance.rssMb()));
    await delay(PAUSE_MS);
  }
  await stop;
  return found;
}

/** @param {Report} report @param {string} person @param {Receivers} receivers @param {number} startMs */
function reportPerson(report, person, receivers, startMs) {
  const own = receivers.all.filter(({ path }) => path === ntfyPath(person));
  const digests = own.slice(SINGLE);
  const words = own.map(
    ({ title, atMs }) => `${((atMs - startMs) / 1000).toFixed(0)} s ${/^\d+/.exec(title)?.[0] ?? 'one'}`,
  );
  report.figure(`${person} was told`, words.join(', '));
  report.check(
    `${person}: ${SINGLE} alone, then with a count`,
    digests.length > 0 && own.every(({ title }, index) => /^\d+ requests are waiting/.test(title) === index >= SINGLE),
    own.map(({ title }) => title),
  );
  report.check(
    `${person}: at most one a minute after these`,
    digests.every(({ atMs }, index) => atMs - own[SINGLE + index - 1].atMs >= MINUTE_MS),
    words,
  );
}
