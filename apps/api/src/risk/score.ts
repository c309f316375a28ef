import { METHOD_RISK, type HttpMethod } from '#contracts/states';

const MODEL_WEIGHT = 0.7;
const HEURISTIC_WEIGHT = 0.3;
/** How much a request counts as riskier when no model has judged it. */
const FAILURE_MARGIN = 0.3;

export const heuristicScore = (method: HttpMethod): number => METHOD_RISK[method];

/** The final score. Both scores are within 0 and 1, so it is too. */
export const blend = (llmScore: number, heuristic: number): number =>
  round(llmScore * MODEL_WEIGHT + heuristic * HEURISTIC_WEIGHT);

/** The score of a request that the model was to judge and did not. */
export const failureScore = (heuristic: number): number => Math.min(1, round(heuristic + FAILURE_MARGIN));

/** How much a request counts as riskier whose agent did not say what it is for. */
export const UNSTATED_INTENT_MARGIN = 0.1;

export const withUnstatedIntent = (score: number): number => Math.min(1, round(score + UNSTATED_INTENT_MARGIN));

/** Four decimals, before anything is compared: the number that people see is the one that decided. */
const round = (score: number): number => Math.round(score * 10_000) / 10_000;
