import type { ActionAssessment, AssessmentState, RequestEffect } from '#contracts';
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

/** SQL: the same of a row of `actions`. The function `tell_channels` in `libs/database` does the same. */
export const cautiousRiskSql = (action: string): string =>
  `CASE ${action}.assessment_state WHEN 'pending' THEN 1 ELSE ${action}.risk_score END`;
