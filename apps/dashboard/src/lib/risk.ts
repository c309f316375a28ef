import type { Action } from '#contracts';
import type { Effect } from '#contracts/effects';
import type { HttpMethod, RiskWord } from '#contracts/states';
import { METHOD_RISK, RISK_BANDS } from '#contracts/states';

/** The word for a score. An invalid score counts as critical. */
export const riskWord = (score: number): RiskWord => RISK_BANDS.find((band) => score >= band.from)?.word ?? 'critical';

const STRONG_EFFECTS: readonly Effect[] = ['delete', 'money', 'permissions', 'credentials'];

/** Whether it is approved with a second press, at every risk. */
export const isStrong = ({ effect }: Action['effects'][number]): boolean => STRONG_EFFECTS.includes(effect);

/**
 * Whether every approval ends with a second press on a button that repeats the title. Until the model has answered,
 * nobody knows that the risk is low.
 */
export const isCritical = (action: Pick<Action, 'risk_score' | 'method' | 'assessment'>): boolean =>
  action.assessment.state === 'pending' || riskWord(action.risk_score) === 'critical' || action.method === 'DELETE';

/** The same for an approval that one press would give. */
export const needsConfirmation = (action: Pick<Action, 'risk_score' | 'method' | 'assessment' | 'effects'>): boolean =>
  isCritical(action) || action.effects.some(isStrong);

/** The risk of a method. An unknown method counts as the riskiest. */
export const methodRisk = (method: string): number => METHOD_RISK[method as HttpMethod] ?? METHOD_RISK.DELETE;
