import { wordsOf } from '../effects/names.js';

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const RECEIVERS = wordSet(
  'destination recipient recipients receiver receivers beneficiary beneficiaries payee payees creditor counterparty to',
);
/** They say whom `recipient` stands for. What else stands below it says how. */
const IDENTIFYING = wordSet('id ids account number iban email address handle');
const DESCRIBING = wordSet('name holder phone');
const LIKELY = wordSet('account iban email vendor supplier seller contractor employee wallet phone customer mandate');
/** The other side. */
const SENDERS = wordSet('from source sender payer debtor origin');

/**
 * How surely a field says who gets the money: 0 as `destination` and `items.receiver` do, 1 as `payee.name` does, 2 as
 * `iban` and `account` do, which can also be where it comes from. Null: it does not.
 */
export function receiverRank(path: readonly string[]): 0 | 1 | 2 | null {
  const names = path.map(wordsOf);
  if (names.some((words) => words.some((word) => SENDERS.has(word)))) return null;
  const last = names.at(-1) ?? [];
  const kind = last.at(-1) ?? '';
  const isBelow = names.some((words) => words.some((word) => RECEIVERS.has(word)));
  if (RECEIVERS.has(kind) || (isBelow && IDENTIFYING.has(kind))) return 0;
  if (isBelow && DESCRIBING.has(kind)) return 1;
  return LIKELY.has(kind) || (IDENTIFYING.has(kind) && LIKELY.has(last.at(-2) ?? '')) ? 2 : null;
}
