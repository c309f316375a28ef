import type { HttpMethod, RiskWord } from '#contracts/states';
import { RISK_BANDS } from '#contracts/states';

/** The word for a score; a score that is no number is treated as the worst. */
export const riskWord = (score: number): RiskWord => RISK_BANDS.find((band) => score >= band.from)?.word ?? 'critical';

/** What needs a second press that repeats verb and object. */
export const needsConfirmation = (action: { risk_score: number; method: HttpMethod }): boolean =>
  riskWord(action.risk_score) === 'critical' || action.method === 'DELETE';

/** What a method alone counts for, as the gateway's own score does (contract 8). */
const BY_METHOD: Record<HttpMethod, number> = {
  GET: 0.1,
  HEAD: 0.05,
  OPTIONS: 0.05,
  POST: 0.3,
  PATCH: 0.4,
  PUT: 0.5,
  DELETE: 0.7,
};

/** A method that is none of ours counts like the worst. */
export const methodRisk = (method: string): number => BY_METHOD[method as HttpMethod] ?? BY_METHOD.DELETE;
