/**
 * How long after its 428 a held request reaches the push service, the mail server and the webhook of its workspace: one
 * request at a time, and at 50 a second over 50 workspaces, on two instances.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Receivers } from './lib/receivers.mjs';
import { Report } from './lib/report.mjs';
import { quantile, setStage, until } from './lib/stage.mjs';
import { makeOwnedWorkspace } from './lib/workspace.mjs';

export const MEDIA = /** @type {const} */ (['webpush', 'email', 'webhook']);
const EVENTS = ['approval.requested'];
const BASELINE_WORKSPACES = 10;
/** Except for webhooks, a channel sends the first two notifications within a minute alone. Only these are measured. */
const SINGLE = 2;
const TIMES_SINGLE = 10;
/** Below this, a quantile of single notifications is noise of the machine. */
const FLOOR_MS = 50;
const DRAIN_MS = 60_000;

/** @typedef {Awaited<ReturnType<typeof withChannels>>} Workspace */
/** @typedef {{workspace: Workspace, actionId: string, atMs: number}} Held */

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.seconds
 * @param {number} [options.workspaces]
 * @param {number} [options.perSecond]
 */
export async function notifications({ databaseUrl, seconds, workspaces = 50, perSecond = 50 }) {
  const report = new Report(`Notifications of ${perSecond} held requests a second over ${workspaces} workspaces`);
  const receivers = await Receivers.start();
  const stage = await setStage({ databaseUrl, instances: 2, environment: tellingBy(receivers) });
  try {
    const all = [];
    for (let n = 0; n < workspaces + BASELINE_WORKSPACES; n++) all.push(await withChannels(stage, receivers, n));
    const alone = [];
    for (const workspace of all.splice(0, BASELINE_WORKSPACES)) {
      for (let n = 0; n < SINGLE; n++) {
        alone.push({ workspace, ...(await workspace.hold()) });
        await until(() => receivers.all.length >= alone.length * MEDIA.length, DRAIN_MS);
      }
    }
    const together = await load(all, perSecond, seconds);
    const webhooks = () => receivers.all.filter(({ medium }) => medium === 'webhook').length;
    const count = alone.length + together.held.length;
    await until(() => webhooks() >= count, DRAIN_MS);
    tell(report, receivers, alone, together.held, quantile(together.tookMs, 0.95));
    report.check('every request was held', together.failed.length === 0, together.failed.slice(0, 5));
    report.check(
      'every webhook came exactly once',
      webhooks() === count && areOnce(receivers),
      `${webhooks()} of ${count}`,
    );
  } finally {
    await stage.close();
    await receivers.close();
  }
  return report;
}

/** @param {Receivers} receivers */
export const tellingBy = (receivers) => ({
  PRIVATE_CHANNEL_ALLOWLIST: receivers.hostAndPort,
  CALLBACK_PRIVATE_HOSTS: receivers.hostAndPort,
  SMTP_URL: receivers.smtpUrl,
  MAIL_FROM: 'gateway@example.com',
  PUBLIC_URL: 'https://gateway.example.com',
  ALLOW_REGISTRATION: 'true',
  // The API of every workspace is on loopback.
  PRIVATE_TARGET_ACCESS: 'all',
});

/**
 * A workspace with channels for push, mail and webhook.
 * @param {import('./lib/stage.mjs').Stage} stage
 * @param {Receivers} receivers
 * @param {number} n
 */
export async function withChannels(stage, receivers, n) {
  const workspace = await makeOwnedWorkspace(stage, `owner-${n}`);
  const common = { name: 'x', events: EVENTS };
  const [webhook, webpush] = [`/webhook/${n}`, `/webpush/${n}`];
  await workspace.made('POST', '/channels', { ...common, type: 'webhook', target: receivers.url + webhook });
  await workspace.made('POST', '/channels', { ...common, type: 'email' });
  await workspace.made('POST', '/channels', {
    ...common,
    type: 'webpush',
    subscription: receivers.subscribe(webpush),
  });
  /** The address to which each medium delivers. */
  const paths = { webhook, webpush, email: workspace.email };
  return { ...workspace, paths };
}

/** @param {Workspace[]} workspaces @param {number} perSecond @param {number} seconds */
async function load(workspaces, perSecond, seconds) {
  /** @type {Held[]} */
  const held = [];
  /** @type {string[]} */
  const failed = [];
  /** @type {number[]} */
  const tookMs = [];
  /** @type {Promise<unknown>[]} */
  const running = [];
  const startMs = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    await delay(Math.max(0, startMs + (n * 1000) / perSecond - performance.now()));
    const workspace = workspaces[n % workspaces.length];
    const askedMs = performance.now();
    running.push(
      workspace.hold().then(
        (one) => {
          held.push({ workspace, ...one });
          tookMs.push(performance.now() - askedMs);
        },
        (error) => failed.push(String(error)),
      ),
    );
  }
  await Promise.all(running);
  return { held, failed, tookMs };
}

/**
 * @param {Report} report
 * @param {Receivers} receivers
 * @param {Held[]} alone
 * @param {Held[]} together
 * @param {number} heldMs the p95 from a request to its 428 meanwhile: a machine that can't carry the load is slow with both
 */
function tell(report, receivers, alone, together, heldMs) {
  report.figure('from a request to its 428 meanwhile, p95 ms', heldMs);
  for (const medium of MEDIA) {
    const arrivals = new Map(
      receivers.all.filter((one) => one.medium === medium).map(({ actionId, atMs }) => [actionId, atMs]),
    );
    /** @param {Held[]} held */
    const delays = (held) =>
      held.flatMap(({ actionId, atMs }) => {
        const arrivedMs = arrivals.get(actionId);
        // Some arrive before the agent has read its 428.
        return arrivedMs === undefined ? [] : [Math.max(0, arrivedMs - atMs)];
      });
    const [calm, busy] = [delays(alone), delays(together)];
    const [single, p95] = [quantile(calm, 0.95), quantile(busy, 0.95)];
    const figures = [single, quantile(busy, 0.5), p95, Math.max(...busy)];
    report.figure(
      `${medium}: p95 of single ones; p50, p95, slowest, ms`,
      figures.map((ms) => ms.toFixed(0)).join(', '),
    );
    const expected =
      medium === 'webhook' ? together.length : SINGLE * new Set(together.map((one) => one.workspace)).size;
    report.figure(`${medium}: arrived alone`, busy.length);
    report.check(
      `${medium}: all notifications arrived`,
      calm.length === alone.length && busy.length >= expected,
      busy.length,
    );
    const limit = TIMES_SINGLE * Math.max(single, heldMs, FLOOR_MS);
    report.check(
      `${medium}: p95 within ${TIMES_SINGLE} times that of single ones or of the 428s`,
      p95 <= limit,
      `${p95} > ${limit}`,
    );
  }
}

/** @param {Receivers} receivers */
function areOnce({ all }) {
  const ids = all.filter(({ id }) => id !== '').map(({ id }) => id);
  return new Set(ids).size === ids.length;
}
