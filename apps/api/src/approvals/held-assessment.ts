import type { ActionAssessment, AskedEffect, AssessmentState, RequestEffect } from '#contracts';
import type { ActionEntity, AssessmentScores } from '#database';
import { effectsScore } from '../risk/held-score.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';

/** Where the score of a held request comes from, and how sure it is (docs/reference/risk.md#assessment). */

/** How a request is queued: the model has assessed it, has failed, is asked in the background, or is not asked. */
export function newAssessment(
  { llmScore, heuristicScore, source }: RiskVerdict,
  effects: readonly RequestEffect[],
  asksModel: boolean,
): { state: AssessmentState; scores: AssessmentScores } {
  const scores = { method: heuristicScore, effects: effectsScore(effects), model: llmScore };
  if (llmScore !== null) return { state: 'done', scores };
  if (source === 'model_failure' || source === 'model_timeout') return { state: 'failed', scores };
  return { state: asksModel ? 'pending' : 'off', scores };
}

export function toAssessment({
  assessmentState,
  assessmentScores,
  effectiveStatus,
}: Pick<ActionEntity, 'assessmentState' | 'assessmentScores' | 'effectiveStatus'>): ActionAssessment {
  // Nobody asks the model about an action that was decided before it has answered.
  const isLeft = assessmentState === 'pending' && effectiveStatus !== 'PENDING';
  const state = assessmentState === null || isLeft ? 'off' : assessmentState;
  return { state, ...(assessmentScores ?? { method: null, effects: null, model: null }) };
}

/**
 * The risk for everything that protects less below some risk: confirmations, and decisions outside the dashboard. Until
 * the model has answered, nobody knows that it is low.
 */
export const cautiousRisk = ({
  riskScore,
  assessmentState,
}: Pick<ActionEntity, 'riskScore' | 'assessmentState'>): number => (assessmentState === 'pending' ? 1 : riskScore);

/**
 * Whether a request does one of the named effects, for settings that name effects. A request whose effects are not known
 * does each of them, and so does an unclear one until the model has assessed it. The function `has_effects` in
 * `libs/database` is the same for SQL.
 */
export const hasEffects = (
  { effects, assessmentState }: Pick<ActionEntity, 'effects' | 'assessmentState'>,
  named: readonly AskedEffect[],
): boolean =>
  named.length > 0 &&
  (effects === null ||
    (assessmentState !== 'done' && effects.some(({ effect }) => effect === 'unclear')) ||
    effects.some(({ effect }) => effect !== 'read' && named.includes(effect)));

/** SQL: `cautiousRisk` of a row of `actions`. The function `risk_to_tell` in `libs/database` is the same. */
export const cautiousRiskSql = (action: string): string =>
  `CASE ${action}.assessment_state WHEN 'pending' THEN 1 ELSE ${action}.risk_score END`;
