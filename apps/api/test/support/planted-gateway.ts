import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChildGateway, type ChildGateway } from './child-gateway.js';
import { eventually } from './eventually.js';

/** A request whose own listener failed may get no answer. */
const GIVE_UP_MS = 10_000;
const DRIVE_MS = 800_000;

interface Faults {
  /** The call sites that fail. Default: all. */
  only?: readonly string[];
  /** Time limits by call site, in place of the gateway's own. */
  limitsMs?: Record<string, number>;
  /** How the first threads of a file fail, one after the other. */
  threads?: Record<string, ThreadFault[]>;
}

export type ThreadFault = 'throws' | 'ends' | 'uses too much memory' | 'hangs';

/** The built gateway, in which each call site fails once (`plant-faults.cjs`). It works until `beginFaults`. */
export const startPlantedGateway = (
  environment: Record<string, string>,
  { only, limitsMs = {}, threads = {} }: Faults = {},
): Promise<ChildGateway> =>
  startChildGateway(
    {
      ...environment,
      PLANTED_ONLY: only === undefined ? '' : JSON.stringify(only),
      PLANTED_LIMITS: JSON.stringify(limitsMs),
      PLANTED_THREADS: JSON.stringify(threads),
    },
    join(__dirname, 'plant-faults.cjs'),
  );

/**
 * Waits until it has begun, because a request before it may fill a cache, and then its call site is not reached again.
 */
export async function beginFaults(gateway: ChildGateway): Promise<void> {
  gateway.kill('SIGUSR2');
  await eventually(() => gateway.output().includes('planted faults begin\n'));
}

/** Those of the call sites that have not failed yet, or whose rejected promise is not in the log. */
export function missing(gateway: ChildGateway, sites: readonly string[]): string[] {
  const output = gateway.output();
  return sites.filter(
    (site) => !output.includes(`planted: ${site}\n`) || !output.includes(`"message":"planted, rejected: ${site}"`),
  );
}

/** Repeats the work, whose parts may fail, until each of the call sites has failed or the gateway has ended. */
export async function drive(
  gateway: ChildGateway,
  sites: readonly string[],
  work: (() => Promise<unknown>)[],
): Promise<void> {
  let ended = false;
  void gateway.exited.then(() => (ended = true));
  await beginFaults(gateway);
  const endMs = performance.now() + DRIVE_MS;
  while (!ended && missing(gateway, sites).length > 0 && performance.now() < endMs) {
    for (const each of work) await Promise.race([each().catch(() => undefined), delay(GIVE_UP_MS)]);
  }
  expect({ ended, missing: missing(gateway, sites) }).toEqual({ ended: false, missing: [] });
}
