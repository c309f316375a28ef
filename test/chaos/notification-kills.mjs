/**
 * Two instances notify people of held requests by push, mail and webhook, and agents of decisions by callback. They are
 * killed (SIGKILL) at random moments while an attempt is in progress. No notification may be lost. Repeats must have
 * the same id, and there is at most one repeat for each kill.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Receivers } from './lib/receivers.mjs';
import { Report } from './lib/report.mjs';
import { setStage, until } from './lib/stage.mjs';
import { makeOwnedWorkspace } from './lib/workspace.mjs';
import { MEDIA, tellingBy, withChannels } from './notifications.mjs';

const ANSWER_MS = 400;
const DECIDING_SHARE = 0.25;
const BOTH_SHARE = 0.15;
/** Enough for the one-minute pause after single notifications, or for an interrupted attempt's lease and its retry. */
const DRAIN_MS = 4 * 60_000;
/** An attempt that a kill interrupts is repeated only when its lease has ended (outbox/delivery-table.ts). */
const LEASE_MS = 30_000;
/** On a slow machine, a notification that was sent before a kill is read later, at most by this much. */
const READ_LATE_MS = LEASE_MS / 2;
/** The log of an attempt whose end could not be stored, because the database of a busy machine was too slow. */
const UNSTORED = /"task":"(?:notification|callback)".*"msg":"background work failed"/;
const COUNT = /^(\d+) requests? (?:is|are) waiting/;

/** @typedef {import('./notifications.mjs').Workspace} Workspace */
/** @typedef {import('./lib/receivers.mjs').Notification} Notification */
/** @typedef {Awaited<ReturnType<typeof withCallback>>} DecidingWorkspace */
/** @typedef {{fromMs: number, toMs: number}} Kill */

/**
 * @param {object} options
 * @param {string} options.databaseUrl
 * @param {number} options.kills
 * @param {number} [options.workspaces]
 * @param {number} [options.perSecond] held requests
 * @param {number} [options.pauseMs] between two kills, at most
 */
export async function notificationKills({ databaseUrl, kills, workspaces = 30, perSecond = 30, pauseMs = 5000 }) {
  const report = new Report(`Notifications, kill -9, ${kills} rounds`);
  const receivers = await Receivers.start();
  const stage = await setStage({ databaseUrl, instances: 2, environment: tellingBy(receivers) });
  try {
    /** @type {Workspace[]} */
    const all = [];
    for (let n = 0; n < workspaces; n++) all.push(await withChannels(stage, receivers, n));
    /** @type {DecidingWorkspace[]} */
    const deciding = [];
    for (let n = 0; n < workspaces * DECIDING_SHARE; n++) deciding.push(await withCallback(stage, receivers, n));
    receivers.maxDelayMs = ANSWER_MS;
    const loads = [
      repeatUntilStopped(all, perSecond, (workspace) => workspace.hold()),
      repeatUntilStopped(deciding, perSecond * DECIDING_SHARE, decide),
    ];
    const times = [];
    for (let round = 0; round < kills; round++) {
      await delay(Math.random() * pauseMs);
      await until(() => receivers.open > 0, DRAIN_MS);
      // One of the two instances has sent the open request, so the first kill certainly interrupts an attempt.
      const both = round === 0 || Math.random() < BOTH_SHARE;
      const victims = both ? stage.instances : [stage.instances[Math.floor(Math.random() * 2)]];
      const fromMs = performance.now();
      await Promise.all(victims.map((victim) => victim.kill()));
      times.push({ fromMs, toMs: performance.now() });
      await Promise.all(victims.map((victim) => victim.start()));
    }
    // A slow machine gets few requests through between the kills.
    await until(() => loads.every((load) => load.succeeded() >= kills), DRAIN_MS);
    await Promise.all(loads.map((load) => load.stop()));
    const drainedMs = await until(async () => (await countLeftInAHurry(stage)) === 0, DRAIN_MS);
    report.check('nothing is left unsent', drainedMs !== Infinity, await listLeft(stage));
    const actions = await stage.rows(
      `SELECT workspace_id AS id, count(*)::int AS held, count(*) FILTER (WHERE status = 'APPROVED')::int AS approved
       FROM actions GROUP BY workspace_id`,
    );
    const held = new Map(actions.map((row) => [Number(row.id), row.held]));
    const approved = new Map(actions.map((row) => [Number(row.id), row.approved]));
    const unstored = stage.instances.reduce((sum, { output }) => sum + output.split(UNSTORED).length - 1, 0);
    tell(report, receivers.all, times, unstored);
    for (const medium of MEDIA) reportMedium(report, medium, receivers.all, all, held, times.length);
    reportMedium(report, 'callback', receivers.all, deciding, approved, times.length);
  } finally {
    await stage.close();
    await receivers.close();
  }
  return report;
}

/**
 * A workspace whose agent is told of decisions.
 * @param {import('./lib/stage.mjs').Stage} stage
 * @param {Receivers} receivers
 * @param {number} n
 */
async function withCallback(stage, receivers, n) {
  const workspace = await makeOwnedWorkspace(stage, `decider-${n}`);
  const callback = `/callback/${n}`;
  const agent = `/agents/${workspace.agentId}`;
  await workspace.made('PUT', agent, { callbackHosts: [receivers.hostAndPort] });
  await workspace.made('PUT', `${agent}/callback`, { url: receivers.url + callback });
  return { ...workspace, paths: { callback } };
}

/**
 * Makes retries due, because the pause after a third failure is longer than this scenario. A busy machine has such
 * failures.
 * @param {import('./lib/stage.mjs').Stage} stage
 * @returns {Promise<number>} how many notifications were not sent yet
 */
async function countLeftInAHurry(stage) {
  await stage.rows(
    `UPDATE channel_deliveries SET next_attempt_at = now()
     WHERE state = 'pending' AND claim_id IS NULL AND next_attempt_at > now()`,
  );
  const [{ n }] = await stage.rows(
    `SELECT count(*)::int AS n FROM channel_deliveries WHERE state IN ('waiting', 'pending')`,
  );
  return n;
}

/** @param {import('./lib/stage.mjs').Stage} stage */
const listLeft = (stage) =>
  stage.rows(
    `SELECT c.type AS medium, d.type, d.state, d.attempts, d.last_error, d.next_attempt_at - now() AS due, d.claim_id
     FROM channel_deliveries d JOIN channels c ON c.id = d.channel_id
     WHERE d.state IN ('waiting', 'pending') ORDER BY d.occurred_at LIMIT 5`,
  );

/** @param {DecidingWorkspace} workspace */
async function decide(workspace) {
  const { actionId } = await workspace.hold();
  await workspace.made('PATCH', `/approvals/${actionId}/approve`, {});
}

/**
 * Some requests meet a dead instance, so the final content of the database counts.
 * @template W
 * @param {W[]} workspaces
 * @param {number} perSecond
 * @param {(workspace: W) => Promise<unknown>} work
 */
function repeatUntilStopped(workspaces, perSecond, work) {
  let running = true;
  let succeeded = 0;
  /** @type {Promise<unknown>[]} */
  const open = [];
  const done = (async () => {
    for (let n = 0; running; n++) {
      open.push(
        work(workspaces[n % workspaces.length]).then(
          () => succeeded++,
          () => {},
        ),
      );
      await delay(1000 / perSecond);
    }
    await Promise.all(open);
  })();
  return {
    succeeded: () => succeeded,
    stop() {
      running = false;
      return done;
    },
  };
}

/** @param {Report} report @param {Notification[]} all @param {Kill[]} kills @param {number} unstored attempts */
function tell(report, all, kills, unstored) {
  const copies = groupCopies(all);
  const again = copies.flatMap((list) => list.slice(1));
  report.figure('repeated after a kill', again.length);
  const single = all.filter(({ actionId }) => actionId !== null);
  const ids = new Map(single.map(({ id, path, actionId }) => [`${path} ${actionId}`, id]));
  const other = single.filter(({ id, path, actionId }) => ids.get(`${path} ${actionId}`) !== id);
  report.check('a repeated notification has the same id', other.length === 0, other.slice(0, 5));
  const without = copies.filter((list) =>
    list.some(({ atMs }, index) => {
      const next = list.at(index + 1);
      return next !== undefined && !kills.some((kill) => isAfterLease(atMs, next.atMs, kill));
    }),
  );
  report.figure('attempts whose end could not be stored', unstored);
  report.check(
    'notifications repeat only after a kill, at most once per kill, or if the end of an attempt could not be stored',
    without.length <= unstored,
    { unstored, kills, without: without.slice(0, 2) },
  );
  report.check('kills ended attempts', again.length > 0);
}

/**
 * Whether the kill interrupted the attempt whose copy came first, and the next copy came when the lease had ended.
 * @param {number} firstMs
 * @param {number} nextMs
 * @param {Kill} kill
 */
function isAfterLease(firstMs, nextMs, { fromMs, toMs }) {
  const soonestMs = LEASE_MS - READ_LATE_MS;
  return firstMs <= toMs + READ_LATE_MS && nextMs >= Math.max(firstMs, fromMs) + soonestMs;
}

/**
 * @template {string} M
 * @param {Report} report
 * @param {M} medium
 * @param {Notification[]} all
 * @param {{id: number, paths: Record<M, string>}[]} workspaces
 * @param {Map<number, number>} happened in each workspace
 * @param {number} atLeast
 */
function reportMedium(report, medium, all, workspaces, happened, atLeast) {
  const firsts = groupCopies(all.filter((one) => one.medium === medium)).map(([first]) => first);
  const wrong = workspaces.flatMap(({ id, paths }) => {
    const counts = firsts.filter(({ path }) => path === paths[medium]).map(({ title }) => parseCount(title));
    const told = counts.reduce((sum, count) => sum + count, 0);
    return told === (happened.get(id) ?? 0) ? [] : [{ workspace: id, told, happened: happened.get(id) }];
  });
  const digests = firsts.filter(({ title }) => COUNT.test(title)).length;
  const total = workspaces.reduce((sum, { id }) => sum + (happened.get(id) ?? 0), 0);
  report.figure(`${medium}: events, notifications, digests among those`, `${total}, ${firsts.length}, ${digests}`);
  report.check(`${medium}: each event is reported once`, wrong.length === 0, wrong);
  report.check(`${medium}: enough notifications arrived`, firsts.length >= atLeast, firsts.length);
}

/** @param {Notification[]} all @returns {Notification[][]} those with the same id, in the order of their arrival */
function groupCopies(all) {
  /** @type {Map<string, Notification[]>} */
  const copies = new Map();
  for (const one of all) copies.set(one.id, [...(copies.get(one.id) ?? []), one]);
  return [...copies.values()];
}

/** @param {string} title of a notification, or the subject of a mail */
const parseCount = (title) => Number(COUNT.exec(title)?.[1] ?? 1);
