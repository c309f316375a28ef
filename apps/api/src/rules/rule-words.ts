import { RULE_EFFECTS, type RuleEffect, type RuleLimit } from '#contracts';
import type { ServiceRule } from '../service-view/service-view.js';

/** Guidance is left out, because agents must not see the instructions for the model that assesses them. */
const WORDS: Record<Exclude<RuleEffect, 'guidance' | 'limit'>, string> = {
  deny: 'refused',
  require_approval: 'held until a human approves',
  allow: 'sent without approval',
};

/** Describes the service's rules that currently apply to one agent: one sentence per rule, the strongest first. */
export function rulesInWords(rules: readonly ServiceRule[], agentId: number, nowMs: number): string[] {
  return rules
    .filter(({ agentIds }) => agentIds.length === 0 || agentIds.includes(agentId))
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > nowMs)
    .sort((one, other) => RULE_EFFECTS.indexOf(one.effect) - RULE_EFFECTS.indexOf(other.effect))
    .flatMap((rule) => (rule.effect === 'guidance' ? [] : [sentence(rule, whatHappens(rule, rule.effect))]));
}

function whatHappens({ limit }: ServiceRule, effect: Exclude<RuleEffect, 'guidance'>): string {
  if (effect !== 'limit') return WORDS[effect];
  // A rule with this effect has a limit.
  return limit === null ? WORDS.deny : `${limitInWords(limit)}, then ${WORDS[limit.then]}`;
}

/** What a limit allows, in words. */
export const limitInWords = ({ count, per, sum }: RuleLimit): string =>
  `${sum === undefined ? '' : 'a total of '}at most ${count} per ${per}`;

function sentence({ name, methods, pathPattern, expiresAt, maxUses }: ServiceRule, what: string): string {
  const requests = methods.length === 0 ? 'Every request' : `${methods.join(', ')} requests`;
  const where = pathPattern === '' ? '' : ` to ${pathPattern}`;
  const limits = [
    ...(expiresAt === null ? [] : [`until ${new Date(expiresAt).toISOString()}`]),
    ...(maxUses === null ? [] : ['a limited number of times']),
  ];
  const note = [`rule "${name}"`, ...limits].join(', ');
  return `${requests}${where}: ${what} (${note})`;
}
