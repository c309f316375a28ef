import type { RiskRule, RuleLimit } from '#contracts';
import type { Gateway, ProxyAnswer } from './gateway.js';

let serial = 0;

/** Limits, and requests that count against them. Each limit has a path of its own. */
export function limitsOf(gateway: () => Gateway) {
  const rules = (): string => `/services/${gateway().service.id}/risk-rules`;
  const target = (path: string): string => `${gateway().upstream.url}/v1${path}`;
  const newPath = (): string => `/limited/${++serial}`;
  const newKey = (): string => `limits-${++serial}`;

  const addRule = (path: string, effect: string, fields: object = {}): Promise<RiskRule> =>
    gateway().admin<RiskRule>(`POST ${rules()}`, {
      name: `${effect} ${path} ${++serial}`,
      effect,
      pathPattern: path,
      ...fields,
    });

  /** Days, so that no window ends during a test, unless it runs at midnight. */
  const addLimit = (path: string, limit: Partial<RuleLimit> = {}, fields: object = {}): Promise<RiskRule> =>
    addRule(path, 'limit', { limit: { count: 2, per: 'day', then: 'deny', ...limit }, ...fields });

  return {
    rules,
    target,
    newPath,
    newKey,
    addRule,
    addLimit,

    async limited(limit: Partial<RuleLimit> = {}, fields: object = {}) {
      const path = newPath();
      return { path, rule: await addLimit(path, limit, fields) };
    },

    get: (path: string, headers = {}): Promise<ProxyAnswer> => gateway().proxy({ targetUrl: target(path) }, headers),

    post: (path: string, key = newKey(), headers = {}): Promise<ProxyAnswer> =>
      gateway().proxy({ targetUrl: target(path), method: 'POST', body: '{}', idempotencyKey: key }, headers),

    /** What the counters of a rule say. */
    async used({ id }: RiskRule): Promise<number> {
      const [{ amount }] = await gateway().app.database.query(
        'SELECT coalesce(sum(amount), 0)::float8 AS amount FROM limit_counters WHERE rule_id = $1',
        [id],
      );
      return amount as number;
    },

    /** As if the window had ended. */
    endWindow: ({ id }: RiskRule) =>
      gateway().app.database.query(
        `UPDATE limit_counters SET window_start = window_start - interval '24 hours' WHERE rule_id = $1`,
        [id],
      ),
  };
}

export const statuses = (answers: readonly ProxyAnswer[]): number[] => answers.map(({ status }) => status);
