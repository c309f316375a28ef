import type { RequestEffect, RiskAlternative, RiskDecision } from '#contracts/risk';
import type { ServiceRule } from '../service-view/service-view.js';
import { decidingRule } from './deciding-rule.js';
import { reachedLimit, type LimitState } from './limits/limit-to-count.js';
import { decisionOf, shown } from './rule-verdict.js';

/** What can decide about a request before the model. */
interface Deciding {
  /** Those that match, the strongest first. */
  rules: readonly ServiceRule[];
  /** What the request does and the service asks about. */
  asked: readonly RequestEffect[];
  /** The limits that match. */
  limits: readonly LimitState[];
}

interface Decided {
  /** Null: the score decides. */
  decision: RiskDecision | null;
  /** Null: the service asks, or the score decides. */
  by: ServiceRule | null;
}

/**
 * What would be decided without what decides now, then without what would decide then, and so on: each step that changes
 * the decision. The rules decide here as they do about requests (docs/reference/risk.md#order).
 */
export function alternatives(deciding: Deciding): RiskAlternative[] {
  const found: RiskAlternative[] = [];
  const withoutRules: ServiceRule[] = [];
  let withoutAskFor: readonly RequestEffect[] = [];
  let left = deciding;
  for (let now = decided(left); now.by !== null || left.asked.length > 0;) {
    if (now.by !== null) {
      const { by } = now;
      withoutRules.push(by);
      left = { ...left, rules: left.rules.filter((rule) => rule !== by) };
    } else {
      withoutAskFor = left.asked;
      left = { ...left, asked: [] };
    }
    const next = decided(left);
    if (next.decision !== now.decision) {
      found.push({
        withoutRules: withoutRules.map(shown),
        withoutAskFor: withoutAskFor.map(({ effect }) => effect),
        decision: next.decision,
        by: next.by && shown(next.by),
      });
    }
    now = next;
  }
  return found;
}

function decided({ rules, asked, limits }: Deciding): Decided {
  const rule = decidingRule(rules, asked);
  const byId = new Map(rules.map((each) => [each.id, each]));
  // A used-up limit is weaker than `deny`, and stronger than all else.
  const reached = rule?.effect === 'deny' ? null : reachedLimit(limits.filter((limit) => byId.has(limit.rule.id)));
  if (reached !== null) {
    return { decision: reached.limit.then === 'deny' ? 'deny' : 'hold', by: byId.get(reached.rule.id)! };
  }
  if (rule !== undefined) return { decision: decisionOf(rule), by: rule };
  return { decision: asked.length > 0 ? 'hold' : null, by: null };
}
