/** The ways to decide that are compared: which requests does each ask people about? */
import { RECOMMENDED_EFFECTS, type Effect } from '#contracts/effects';
import { RULE_PRESETS } from '#contracts/rule-presets';
import { judgedMethod, requestMethods } from '../apps/api/src/request-reading/request-methods.js';
import { blend, failureScore, heuristicScore } from '../apps/api/src/risk/score.js';
import type { Measured } from './set.js';

/** The default of `RISK_THRESHOLD`. */
export const THRESHOLD = 0.5;

export interface Way {
  name: string;
  asks: (measured: Measured) => boolean;
}

const asked: readonly Effect[] = RECOMMENDED_EFFECTS;
export const hasAskedEffect = ({ effects }: Measured): boolean => effects.some(({ effect }) => asked.includes(effect));

/** The score of the model with that of the method. @param score the model's; null: it failed */
export const blendAsks = ({ sent }: Measured, score: number | null): boolean => {
  const heuristic = heuristicScore(judgedMethod(sent));
  return (score === null ? failureScore(heuristic) : blend(score, heuristic)) >= THRESHOLD;
};

/** "Without any model" means that the model answers 0 to everything. */
export const WAYS: readonly Way[] = [
  { name: 'recommended askFor, no rule', asks: (each) => hasAskedEffect(each) || blendAsks(each, 0) },
  { name: 'blend, the model answers 0', asks: (each) => blendAsks(each, 0) },
  { name: 'blend, the model fails', asks: (each) => blendAsks(each, null) },
  ...RULE_PRESETS.map(({ key, rules: [rule] }): Way => ({
    name: `preset ${key}`,
    asks: (each) => presetAsks(rule, each),
  })),
];

type Rule = (typeof RULE_PRESETS)[number]['rules'][0];

function presetAsks(rule: Rule, each: Measured): boolean {
  const methods: readonly string[] = rule.methods;
  const stated = requestMethods(each.sent);
  if (rule.effect === 'require_approval' && stated.some((method) => methods.includes(method))) return true;
  if (rule.effect === 'allow' && stated.every((method) => methods.includes(method))) return false;
  return blendAsks(each, 0);
}
