/**
 * Two instances notify people of held requests by push, mail and webhook. They are killed (SIGKILL) at random moments
 * while an attempt is in progress. Every request must be notified at least once. Repeats must have the same id, and
 * there is at most one repeat for each kill.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Receivers } from './lib/receivers.mjs';
import { Report } from './lib/report.mjs';
import { setStage, until } from './lib/stage.mjs';
import { MEDIA, tellingBy, withChannels } from './notifications.mjs';

const ANSWER_MS = 400;
const BOTH_SHARE = 0.15;
/** Either the pause of a minute after single notifications, or the lease of an interrupted attempt and then a retry. */
const DRAIN_MS = 4 * 60_000;
/** On a slow machine, a notification that was sent before a kill can be read this much later. Leases are far longer. */
const READ_LATE_MS = 5000;
const COUNT = /^(\d+) requests? waits?/;

/** @typedef {import('./notifications.mjs').Workspace} Workspace */
/** @typedef {import('./lib/receivers.mjs').Notification} Notification */
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
    receivers.maxDelayMs = ANSWER_MS;
    const load = holdUntilStopped(all, perSecond);
    const times = [];
    for (let round = 0; round < kills; round++) {
      await delay(Math.random() * pauseMs);
      await until(() => receivers.open > 0, DRAIN_MS);
      // One of the two instances has sent the open request, so the first kill certainly interrupts an attempt.
      const both = round === 0 || Math.random() < BOTH_SHARE;
      const victims = both ? stage.instances : [stage.instances[Math.floor(Math.random() * 2)]];
      const fromMs = performance.now();
      await Promise.all(victims.map((victim) => victim.kill()));
      times.push({ fromMs, toMs: performance.now() + READ_LATE_MS });
      await Promise.all(victims.map((victim) => victim.start()));
    }
    await load.stop();
    const left = async () =>
      (await stage.rows(`SELECT count(*)::int AS n FROM channel_deliveries WHERE state IN ('waiting', 'pending')`))[0]
        .n;
    const drainedMs = await until(async () => (await left()) === 0, DRAIN_MS);
    report.check('nothing is left unsent', drainedMs !== Infinity, await left());
    const held = new Map();
    for (const { id, n } of await stage.rows(
      'SELECT workspace_id AS id, count(*)::int AS n FROM actions GROUP BY workspace_id',
    )) {
      held.set(Number(id), n);
    }
    tell(report, receivers.all, all, held, times);
  } finally {
    await stage.close();
    await receivers.close();
  }
  return report;
}

/**
 * Some requests meet a dead instance, so the final content of the database counts.
 * @param {Workspace[]} workspaces
 * @param {number} perSecond
 */
function holdUntilStopped(workspaces, perSecond) {
  let running = true;
  /** @type {Promise<unknown>[]} */
  const requests = [];
  const done = (async () => {
    for (let n = 0; running; n++) {
      requests.push(workspaces[n % workspaces.length].hold().catch(() => {}));
      await delay(1000 / perSecond);
    }
    await Promise.all(requests);
  })();
  return {
    stop() {
      running = false;
      return done;
    },
  };
}

/** @param {Report} report @param {Notification[]} all @param {Workspace[]} workspaces @param {Map<number, number>} held @param {Kill[]} kills */
function tell(report, all, workspaces, held, kills) {
  report.figure(
    'requests held',
    [...held.values()].reduce((sum, n) => sum + n, 0),
  );
  const copies = copiesOf(all);
  const again = [...copies.values()].flatMap((list) => list.slice(1));
  report.figure('sent again after a kill', again.length);
  for (const medium of MEDIA) {
    const firsts = [...copies.values()].map(([first]) => first).filter((one) => one.medium === medium);
    const wrong = workspaces.flatMap(({ id, paths }) => {
      const counts = firsts.filter(({ path }) => path === paths[medium]).map(({ title }) => countOf(title));
      const told = counts.reduce((sum, count) => sum + count, 0);
      return told === held.get(id) ? [] : [{ workspace: id, told, held: held.get(id) }];
    });
    const digests = firsts.filter(({ title }) => COUNT.test(title)).length;
    report.figure(`${medium}: notifications, digests among them`, `${firsts.length}, ${digests}`);
    report.check(`${medium}: each held request is told once`, wrong.length === 0, wrong);
    report.check(`${medium}: enough was told`, firsts.length >= kills.length, firsts.length);
  }
  const single = all.filter(({ actionId }) => actionId !== null);
  const ids = new Map(single.map(({ id, path, actionId }) => [`${path} ${actionId}`, id]));
  const other = single.filter(({ id, path, actionId }) => ids.get(`${path} ${actionId}`) !== id);
  report.check('what comes again has the same id', other.length === 0, other.slice(0, 5));
  const without = [...copies.values()].filter((list) =>
    list.some(({ atMs }, index) => {
      const next = list.at(index + 1);
      return next !== undefined && !kills.some(({ fromMs, toMs }) => atMs <= toMs && next.atMs >= fromMs);
    }),
  );
  report.check('nothing comes again but after a kill, once for each', without.length === 0, without.slice(0, 5));
  report.check('kills ended attempts', again.length > 0);
}

/** @param {Notification[]} all @returns {Map<string, Notification[]>} by id, in the order of their arrival */
function copiesOf(all) {
  /** @type {Map<string, Notification[]>} */
  const copies = new Map();
  for (const one of all) copies.set(one.id, [...(copies.get(one.id) ?? []), one]);
  return copies;
}

/** @param {string} title of a notification, or the subject of a mail */
const countOf = (title) => Number(COUNT.exec(title)?.[1] ?? 1);
