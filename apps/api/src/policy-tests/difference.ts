import { EFFECTS, type Effect } from '#contracts/effects';
import type { DecidedCase } from './decided-case.js';
import type { Expected } from './policy-case.js';

/** How a decision differs from what its case expects. Null: it does not. */
export function difference(want: Expected, got: DecidedCase): string | null {
  const parts: string[] = [];
  const isOther = want.decision !== got.decision || (want.rule !== undefined && want.rule !== got.rule);
  if (isOther) parts.push(`want ${want.decision}${ruleText(want.rule)}, got ${gotText(got)}`);
  if (want.effects !== undefined && listed(want.effects) !== listed(got.effects)) {
    parts.push(`want the effects ${listed(want.effects)}, got ${listed(got.effects)}`);
  }
  return parts.length > 0 ? parts.join('; ') : null;
}

const ruleText = (rule: string | null | undefined): string =>
  rule === undefined ? '' : rule === null ? ' by no rule' : ` by "${rule}"`;

function gotText({ decision, rule, because }: DecidedCase): string {
  if (rule !== null) return `${decision} by "${rule}"`;
  return because === null ? decision : `${decision} (${because})`;
}

const listed = (effects: readonly Effect[]): string =>
  EFFECTS.filter((effect) => effects.includes(effect)).join(', ') || 'none';
