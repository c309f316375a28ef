import type { HttpMethod, RiskWord } from '#contracts/states';
import { METHOD_RISK, RISK_BANDS } from '#contracts/states';

/** The word for a score; a score that is no number is treated as the worst. */
export const riskWord = (score: number): RiskWord => RISK_BANDS.find((band) => score >= band.from)?.word ?? 'critical';

/** What needs a second press that repeats verb and object. */
export const needsConfirmation = (action: { risk_score: number; method: HttpMethod }): boolean =>
  riskWord(action.risk_score) === 'critical' || action.method === 'DELETE';

/** A method that is none of ours counts like the worst. */
export const methodRisk = (method: string): number => METHOD_RISK[method as HttpMethod] ?? METHOD_RISK.DELETE;
