import type { Effect } from '#contracts/effects';
import { hasValue, listed, type ConditionPart } from '../../lib/condition.js';
import { readCondition } from '../../lib/read-condition.js';
import { conditionMessages } from './condition-messages.js';
import { valueWords } from './value-words.js';

/** A simple condition in words: "amount > 100 and it moves money". Null: it can only be shown as CEL. */
export function conditionWords(condition: string): string | null {
  const parts = readCondition(condition);
  return (parts?.map(partWords) ?? valueWords(condition))?.join(conditionMessages.and) ?? null;
}

export function partWords(part: ConditionPart): string {
  const { on, field, is, value, effects } = part;
  if (on === 'firstTime' || on === 'mutation') return conditionMessages[on];
  if (on === 'effects') {
    const words = (names: readonly Effect[]) =>
      names.map((name) => conditionMessages.effects[name]).join(conditionMessages.or);
    return is === 'only' ? conditionMessages.nothingElse(words(effects)) : conditionMessages.any(words(effects));
  }
  const said = is === 'oneOf' ? listed(value).join(', ') : value;
  const name = on === 'query' ? conditionMessages.parameter(field) : field;
  return `${name} ${conditionMessages.tests[is as keyof typeof conditionMessages.tests]}${hasValue(part) ? ` ${said}` : ''}`;
}
