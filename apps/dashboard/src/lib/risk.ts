import type { Action } from '#contracts';
import type { HttpMethod, RiskWord } from '#contracts/states';
import { METHOD_RISK, RISK_BANDS } from '#contracts/states';

/** The word for a score. An invalid score counts as critical. */
export const riskWord = (score: number): RiskWord => RISK_BANDS.find((band) => score >= band.from)?.word ?? 'critical';

/**
 * Whether approving needs a second press on a button that repeats the title. Until the model has answered, nobody knows
 * that the risk is low.
 */
export const needsConfirmation = (action: Pick<Action, 'risk_score' | 'method' | 'assessment'>): boolean =>
  action.assessment.state === 'pending' || riskWord(action.risk_score) === 'critical' || action.method === 'DELETE';

/** The risk of a method. An unknown method counts as the riskiest. */
export const methodRisk = (method: string): number => METHOD_RISK[method as HttpMethod] ?? METHOD_RISK.DELETE;
