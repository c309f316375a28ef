import { LIMIT_WINDOW_SECONDS } from '#contracts/states';
import type { LimitState, LimitToCount } from './limit-to-count.js';

/** A request whose limits are counted with its record. */
export interface RequestToCount {
  recordId: string;
  agent: { id: number; version: number };
  service: { id: number; version: number };
  /** An approved action keeps limits that refuse, and may exceed those that ask: a person has approved it. */
  isExecution: boolean;
  limits: readonly LimitToCount[];
}

/** A row of `count_against_limits`. `counted` null: the agent or the service has changed. */
export interface CountedRow {
  record_id: string;
  counted: boolean | null;
  rule: number;
  used: number;
  fits: boolean;
  resets_in: number;
}

/** SQL: counts the records whose ids are selected. `needs` is the parameter with the result of `toNeeds`. */
export const countingSql = (ids: string, needs: string): string =>
  `SELECT c.* FROM count_against_limits((SELECT array_agg(id) FROM ${ids}), ${needs}::json) c`;

/** The parameter of the function, for a whole batch. */
export const toNeeds = (requests: readonly RequestToCount[]): string =>
  JSON.stringify(
    requests.flatMap(({ recordId, agent, service, isExecution, limits }) =>
      limits.map(({ rule, limit, amount }) => ({
        record_id: recordId,
        agent: agent.id,
        agent_version: agent.version,
        service: service.id,
        service_version: service.version,
        rule: rule.id,
        seconds: LIMIT_WINDOW_SECONDS[limit.per],
        most: limit.count,
        amount,
        must: !isExecution || limit.then === 'deny',
      })),
    ),
  );

/** `counted`: with its record. `full`: nothing was counted or written. `stale`: the same, because of a change. */
export interface Counted {
  state: 'counted' | 'full' | 'stale';
  limits: LimitState[];
}

/** What the statement says about each request that it tried to count, by the ids of their records. */
export function toCounted(
  rows: readonly CountedRow[] | null,
  requests: readonly RequestToCount[],
): Map<string, Counted> {
  const limits = new Map(requests.map((request) => [request.recordId, request.limits]));
  const found = new Map<string, Counted>();
  for (const row of rows ?? []) {
    const { record_id: id, counted } = row;
    const state = counted === null ? 'stale' : counted ? 'counted' : 'full';
    const of = found.get(id) ?? { state, limits: [] };
    found.set(id, of);
    const limit = limits.get(id)?.find(({ rule }) => rule.id === row.rule);
    if (limit !== undefined) {
      of.limits.push({ ...limit, used: row.used, fits: row.fits, resetsInSeconds: row.resets_in });
    }
  }
  return found;
}
