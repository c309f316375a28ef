import type { Backtest } from '#contracts';
import type { RuleEffect } from '#contracts/states';
import { number, plural } from '../../lib/format.js';

/** The effects of rules that an undecided condition counts as a match for. */
const RESTRICTING: readonly RuleEffect[] = ['deny', 'limit', 'require_approval'];

/** How many requests a rule matches, and how many only count as matches because nobody can tell. They add up. */
export function matchWords(
  effect: RuleEffect,
  { matched, undecided, of }: Pick<Backtest, 'matched' | 'undecided' | 'of'>,
): string {
  const isRestricting = RESTRICTING.includes(effect);
  const decided = isRestricting ? matched - undecided : matched;
  const matches = `It matches ${number(decided)} of the last ${plural(of, 'request', 'requests')}.`;
  if (undecided === 0) return matches;
  const others = plural(undecided, 'other', 'others');
  const counts = isRestricting
    ? undecided === 1
      ? 'it counts as a match'
      : 'they count as matches'
    : `${undecided === 1 ? 'it doesn’t' : 'they don’t'} count as ${undecided === 1 ? 'a match' : 'matches'}`;
  return `${matches} For ${others}, nobody can tell: ${counts}.`;
}
