import type { HttpMethod, RiskWord } from '#contracts/states';
import { RISK_BANDS } from '#contracts/states';

/** The word for a score; a score that is no number is treated as the worst. */
export const riskWord = (score: number): RiskWord => RISK_BANDS.find((band) => score >= band.from)?.word ?? 'critical';

/** What needs a second press that repeats verb and object. */
export const needsConfirmation = (action: { risk_score: number; method: HttpMethod }): boolean =>
  riskWord(action.risk_score) === 'critical' || action.method === 'DELETE';
