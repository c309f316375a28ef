import type { RiskDecision } from '#contracts/risk';

/** The explanations of what rules decide, and how to read the rule's name in them again: records keep nothing else. */

export const EXPLAINED: Record<RiskDecision, (rule: string) => string> = {
  deny: (rule) => `Denied by risk rule "${rule}"`,
  forward: (rule) => `Allowed by risk rule "${rule}"`,
  hold: (rule) => `Risk rule "${rule}" requires approval`,
};

const NAMED: [RiskDecision, RegExp][] = [
  // A note about the request may precede each of them.
  ['deny', /(?<!\S)Denied by risk rule "(.*)"$/su],
  ['forward', /(?<!\S)Allowed by risk rule "(.*)"$/su],
  ['hold', /(?<!\S)Risk rule "(.*)" requires approval$/su],
];

/** Null: the explanation names no rule. */
export function namedRule(explanation: string): { decision: RiskDecision; rule: string } | null {
  for (const [decision, pattern] of NAMED) {
    const [, rule] = pattern.exec(explanation) ?? [];
    if (rule !== undefined) return { decision, rule };
  }
  return null;
}
