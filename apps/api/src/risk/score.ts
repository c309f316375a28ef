import { METHOD_RISK, type HttpMethod } from '#contracts/states';

const MODEL_WEIGHT = 0.7;
const HEURISTIC_WEIGHT = 0.3;
/** Added to the score of a request that no model has assessed. See docs/reference/risk.md#failures. */
export const FAILURE_MARGIN = 0.3;

export const heuristicScore = (method: HttpMethod): number => METHOD_RISK[method];

/** The final score. Like both inputs, it is from 0 to 1. */
export const blend = (llmScore: number, heuristic: number): number =>
  round(llmScore * MODEL_WEIGHT + heuristic * HEURISTIC_WEIGHT);

/** The score of a request that the model failed to assess. */
export const failureScore = (heuristic: number): number => Math.min(1, round(heuristic + FAILURE_MARGIN));

/** Added to the model's score of a request that it did not see whole. See docs/reference/risk.md#unseen. */
export const UNSEEN_MARGIN = 0.2;

export const withUnseen = (llmScore: number): number => Math.min(1, round(llmScore + UNSEEN_MARGIN));

/** Added to the score of a request without an intent. See docs/reference/risk.md#unstated-intent. */
export const UNSTATED_INTENT_MARGIN = 0.1;

export const withUnstatedIntent = (score: number): number => Math.min(1, round(score + UNSTATED_INTENT_MARGIN));

/** Rounds to four decimals before any comparison, so that people see the same number that decided. */
const round = (score: number): number => Math.round(score * 10_000) / 10_000;
