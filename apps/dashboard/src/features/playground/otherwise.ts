import type { CheckedRule, MatchedRule, RiskAlternative, RiskAssessment, RiskDecision } from '#contracts';
import { conditionWords, partWords } from '../../components/rule-sentence/condition-words.js';
import type { ConditionPart } from '../../lib/condition.js';
import { readCondition } from '../../lib/read-condition.js';
import { blend, modelShare } from './formula.js';
import { otherwiseMessages } from './otherwise-messages.js';

/**
 * What would have to change for another decision, one sentence each. Everything follows from what the gateway said about
 * this request: the steps of its order of force, the distance to the threshold, and the conditions of rules.
 */
export function otherwise(assessment: RiskAssessment): string[] {
  return [
    ...assessment.otherwise.map((step) => stepWords(step, assessment)),
    ...decidingConditions(assessment),
    ...otherConditions(assessment),
    ...scoreWords(assessment),
  ];
}

function stepWords({ withoutRules, withoutAskFor, decision, by }: RiskAlternative, assessment: RiskAssessment): string {
  const rules = withoutRules.map((rule) =>
    rule.effect === 'limit' ? limitWords(rule, assessment) : otherwiseMessages.rule(rule.name),
  );
  return otherwiseMessages.step(
    rules,
    withoutAskFor,
    decision === null ? scoreDecides(assessment) : decided(decision, by),
  );
}

function limitWords({ id, name }: MatchedRule, { limits }: RiskAssessment): string {
  const limit = limits.find(({ ruleId }) => ruleId === id);
  // Nobody can tell what the request adds, in the next window either.
  if (limit === undefined || limit.adds === null) return otherwiseMessages.limit(name);
  return otherwiseMessages[limit.used >= limit.count ? 'usedUp' : 'tooLittle'](name, limit.resetsAt);
}

const decided = (decision: RiskDecision, by: MatchedRule | null): string =>
  by === null
    ? otherwiseMessages.asked
    : otherwiseMessages.decided[decision](
        by.effect === 'limit' ? otherwiseMessages.limit(by.name) : otherwiseMessages.rule(by.name),
      );

/** The model was not asked, but its score and that of the method make the final one. */
function scoreDecides({ heuristicScore, threshold }: RiskAssessment): string {
  const limit = modelShare(threshold, heuristicScore);
  if (limit > 1) return otherwiseMessages.score.always;
  return limit <= 0 ? otherwiseMessages.score.never : otherwiseMessages.score.below(limit);
}

/** What of the request makes the rules match that have to go for another decision. */
function decidingConditions({ otherwise: [first], rules }: RiskAssessment): string[] {
  return (first?.withoutRules ?? []).flatMap(({ id, name }) => {
    const rule = rules.find((each) => each.id === id);
    const parts = rule?.undecided === null ? readCondition(rule.when) : null;
    const opposites = parts?.map(opposite) ?? [];
    const said = opposites.filter((words) => words !== null);
    return said.length > 0 ? [otherwiseMessages.noMatch(name, said)] : [];
  });
}

/** Of each one alone: without it the rule does not match. */
const OPPOSITE: Partial<Record<ConditionPart['is'], ConditionPart['is']>> = {
  '==': '!=',
  '!=': '==',
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
  is: 'isNot',
  isNot: 'is',
  true: 'false',
  false: 'true',
  present: 'absent',
  absent: 'present',
};

/** Null: there are no simple words for it. */
function opposite(part: ConditionPart): string | null {
  const is = part.on === 'body' ? OPPOSITE[part.is] : undefined;
  return is === undefined ? null : partWords({ ...part, is });
}

/** Rules that would decide otherwise if only their condition held. */
function otherConditions({ rules, decision, source }: RiskAssessment): string[] {
  const isByRule = source === 'rule';
  const wouldDecide = ({ id, effect, exceptionTo }: CheckedRule): RiskDecision | null => {
    const isLifted = rules.some((other) => other.mismatch === null && other.exceptionTo.includes(id));
    if (effect === 'deny') return decision === 'deny' ? null : 'deny';
    if (effect === 'require_approval') return decision === 'forward' && !isLifted ? 'hold' : null;
    // Only the score and what people are asked about are weaker. An exception lifts only what asks.
    return effect === 'allow' && decision === 'hold' && !isByRule && exceptionTo.length === 0 ? 'forward' : null;
  };
  return rules.flatMap((rule) => {
    const would = rule.mismatch === 'condition' && rule.undecided === null ? wouldDecide(rule) : null;
    return would === null
      ? []
      : [otherwiseMessages.wouldDecide[would](rule.name, conditionWords(rule.when) ?? rule.when)];
  });
}

function scoreWords({
  source,
  decision,
  decidingScore: score,
  threshold,
  llmScore,
  heuristicScore,
}: RiskAssessment): string[] {
  if (score === null) return [];
  if (source === 'model_timeout' || source === 'model_failure') return [otherwiseMessages.noAnswer];
  const isHeld = decision === 'hold';
  const distance = otherwiseMessages.distance[isHeld ? 'above' : 'below'](Math.abs(score - threshold), threshold);
  // What the model did not see raises its score. Then the formula does not say what it would have to be.
  const isPlain = llmScore !== null && Math.abs(blend(llmScore, heuristicScore) - score) < 0.0001;
  const limit = modelShare(threshold, heuristicScore);
  if (!isPlain || limit <= 0 || limit > 1) return [distance];
  return [distance, otherwiseMessages.model[isHeld ? 'above' : 'below'](llmScore, limit)];
}
