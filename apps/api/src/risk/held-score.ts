import type { Effect } from '#contracts/effects';
import type { RequestEffect } from '#contracts/risk';
import type { RiskVerdict } from './risk-verdict.js';

/** How bad each effect is (docs/reference/risk.md#held-score). */
export const EFFECT_RISK: Readonly<Record<Effect, number>> = {
  read: 0.1,
  write: 0.3,
  personalData: 0.5,
  unclear: 0.5,
  publishing: 0.5,
  bulk: 0.6,
  code: 0.6,
  money: 0.7,
  delete: 0.7,
  permissions: 0.8,
  credentials: 0.8,
};

/** Each of these is hard to undo. A request that does two of them is worse than either. */
export const GRAVE_EFFECTS: readonly Effect[] = ['code', 'money', 'delete', 'permissions', 'credentials'];
export const TWO_GRAVE_EFFECTS_RISK = 0.9;

/** How bad is what a request does: the score of its worst effect, or more if it does two grave things. */
export function effectsScore(effects: readonly Pick<RequestEffect, 'effect'>[]): number {
  const words = new Set(effects.map(({ effect }) => effect));
  const grave = GRAVE_EFFECTS.filter((effect) => words.has(effect));
  return Math.max(0, ...[...words].map((effect) => EFFECT_RISK[effect]), grave.length > 1 ? TWO_GRAVE_EFFECTS_RISK : 0);
}

/** The verdict about a request that is held. Its score says how bad the request is, whatever decided to hold it. */
export const asHeld = <Verdict extends Pick<RiskVerdict, 'score'>>(
  verdict: Verdict,
  effects: readonly RequestEffect[],
): Verdict => ({ ...verdict, score: Math.max(verdict.score, effectsScore(effects)) });
