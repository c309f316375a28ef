/** How others are served while an agent does its worst. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from './stage.mjs';

const TIMES_IDLE = 3;
/** Below this, a quantile of idle requests is noise of the machine. */
const FLOOR_MS = 5;
const PAUSE_MS = 20;

export const nothing = () => ({
  health: /** @type {number[]} */ ([]),
  proxied: /** @type {number[]} */ ([]),
  failed: /** @type {unknown[]} */ ([]),
  rssMb: 0,
});

/** @typedef {ReturnType<typeof nothing>} Measured */

/** @param {Measured} all @param {Measured} more */
export function add(all, more) {
  for (const what of /** @type {const} */ (['health', 'proxied', 'failed']))
    all[what].push(.../** @type {any} */ (more[what]));
  all.rssMb = Math.max(all.rssMb, more.rssMb);
}

/**
 * Requests of both kinds, one after the other, by another agent.
 * @param {import('./stage.mjs').Stage} stage
 * @param {number} seconds
 */
export async function measure(stage, seconds) {
  const found = nothing();
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    const health = await stage.call('GET', '/health');
    found.health.push(health.ms);
    const proxied = await stage.proxy({ id: randomUUID() });
    found.proxied.push(proxied.ms);
    for (const { status, error } of [health, proxied]) if (status !== 200) found.failed.push([status, error]);
    found.rssMb = Math.max(found.rssMb, stage.instances[0].rssMb());
    await delay(PAUSE_MS);
  }
  return found;
}

/**
 * @param {import('./report.mjs').Report} report
 * @param {string} name
 * @param {{idle: Measured, attacked: Measured}} found
 */
export function compare(report, name, { idle, attacked }) {
  for (const what of /** @type {const} */ (['health', 'proxied'])) {
    const [calm, busy] = [quantile(idle[what], 0.99), quantile(attacked[what], 0.99)];
    report.figure(`  ${what}: p99 idle and under attack, ms`, `${calm.toFixed(1)}, ${busy.toFixed(1)}`);
    const limit = TIMES_IDLE * Math.max(calm, FLOOR_MS);
    report.check(`${name}: p99 of ${what} within ${TIMES_IDLE} times idle`, busy <= limit, `${busy} > ${limit}`);
  }
  report.check(`${name}: all other clients got an answer`, attacked.failed.length === 0, attacked.failed.slice(0, 5));
}
