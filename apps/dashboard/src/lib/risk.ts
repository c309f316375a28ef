import type { HttpMethod, RiskWord } from '#contracts/states';
import { METHOD_RISK, RISK_BANDS } from '#contracts/states';

/** The word for a score. An invalid score counts as critical. */
export const riskWord = (score: number): RiskWord => RISK_BANDS.find((band) => score >= band.from)?.word ?? 'critical';

/** Whether approving needs a second press on a button that repeats the title. */
export const needsConfirmation = (action: { risk_score: number; method: HttpMethod }): boolean =>
  riskWord(action.risk_score) === 'critical' || action.method === 'DELETE';

/** The risk of a method. An unknown method counts as the riskiest. */
export const methodRisk = (method: string): number => METHOD_RISK[method as HttpMethod] ?? METHOD_RISK.DELETE;
