import { EFFECTS, type Effect } from '#contracts/effects';
import { EMPTY_PART, NUMBER_TESTS, type ConditionPart } from './condition.js';
import { Tokens } from './condition-tokens.js';

/** The parts of a simple condition. Null: it can only be shown as CEL. */
export function readCondition(condition: string): ConditionPart[] | null {
  const tokens = Tokens.of(condition);
  if (tokens === null) return null;
  const parts: ConditionPart[] = [];
  while (!tokens.isAtEnd) {
    if (parts.length > 0 && !tokens.take('&&')) return null;
    const part = readPart(tokens);
    if (part === null) return null;
    parts.push(part);
  }
  return parts;
}

const READERS: readonly ((tokens: Tokens) => Partial<ConditionPart> | null)[] = [
  (tokens) => (tokens.take('firstTime') ? { on: 'firstTime' } : null),
  (tokens) =>
    tokens.take('graphql', '!=', 'null', '&&', 'graphql', '.', 'type', '==') && tokens.text() === 'mutation'
      ? { on: 'mutation' }
      : null,
  readEffect,
  readEffects,
  readQueryValue,
  readPresence,
  readField,
];

function readPart(tokens: Tokens): ConditionPart | null {
  for (const read of READERS) {
    const found = tokens.attempt(() => read(tokens));
    if (found !== null) return { ...EMPTY_PART, ...found };
  }
  return null;
}

const isEffect = (word: string | null): word is Effect => EFFECTS.some((effect) => effect === word);

function readEffect(tokens: Tokens): Partial<ConditionPart> | null {
  const word = tokens.text();
  return isEffect(word) && tokens.take('in', 'effects') ? { on: 'effects', is: 'any', effects: [word] } : null;
}

function readEffects(tokens: Tokens): Partial<ConditionPart> | null {
  if (!tokens.take('effects', '.')) return null;
  const is = tokens.take('exists') ? 'any' : tokens.take('all') ? 'only' : null;
  if (is === null || !tokens.take('(', 'e', ',', 'e', 'in')) return null;
  const effects = tokens.list();
  return effects !== null && effects.length > 0 && effects.every(isEffect) && tokens.take(')')
    ? { on: 'effects', is, effects }
    : null;
}

/** `request.query.force` or a field of the body. */
function readPlace(tokens: Tokens): Pick<ConditionPart, 'on' | 'field'> | null {
  if (!tokens.take('request', '.')) return null;
  const on = tokens.take('body') ? 'body' : tokens.take('query') ? 'query' : null;
  const names = on === null ? [] : tokens.names();
  return on === null ? null : place(on, names);
}

function place(on: 'body' | 'query', names: readonly string[]): Pick<ConditionPart, 'on' | 'field'> | null {
  const isSimple = on === 'query' ? names.length === 1 : names.length > 0;
  return isSimple && names.every((name) => name !== '' && !name.includes('.')) ? { on, field: names.join('.') } : null;
}

function readPresence(tokens: Tokens): Partial<ConditionPart> | null {
  const isThere = !tokens.take('!');
  const is = isThere ? 'present' : 'absent';
  if (tokens.take('has', '(')) {
    const found = readPlace(tokens);
    return found !== null && tokens.take(')') ? { ...found, is } : null;
  }
  if (!isThere && !tokens.take('(')) return null;
  const last = tokens.text();
  if (last === null || !tokens.take('in', 'request', '.')) return null;
  const on = tokens.take('body') ? 'body' : tokens.take('query') ? 'query' : null;
  const found = on === null ? null : place(on, [...tokens.names(), last]);
  return found !== null && (isThere || tokens.take(')')) ? { ...found, is } : null;
}

/** A query parameter has a list of values, and may be missing. */
function readQueryValue(tokens: Tokens): Partial<ConditionPart> | null {
  const there = readPresence(tokens);
  if (there?.on !== 'query' || there.is !== 'present' || !tokens.take('&&')) return null;
  const value = tokens.text();
  if (value === null || value === '' || !tokens.take('in')) return null;
  const at = readPlace(tokens);
  return at?.on === 'query' && at.field === there.field ? { ...at, is: 'is', value } : null;
}

function readField(tokens: Tokens): Partial<ConditionPart> | null {
  const isForm = tokens.take('double', '(');
  const at = readPlace(tokens);
  if (at?.on !== 'body' || (isForm && !tokens.take(')'))) return null;
  const is = NUMBER_TESTS.find((test) => tokens.take(test));
  const number = is === undefined ? null : tokens.number();
  if (is !== undefined && number !== null)
    return { ...at, is, value: isForm ? number.replace(/\.0$/, '') : number, isForm };
  if (isForm) return null;
  if (is === undefined) return readTextTest(tokens, at);
  if (is === '==' && tokens.take('true')) return { ...at, is: 'true' };
  if (is === '==' && tokens.take('false')) return { ...at, is: 'false' };
  const value = is === '==' || is === '!=' ? tokens.text() : null;
  return value === null || value === '' ? null : { ...at, is: is === '==' ? 'is' : 'isNot', value };
}

function readTextTest(tokens: Tokens, at: Pick<ConditionPart, 'on' | 'field'>): Partial<ConditionPart> | null {
  if (tokens.take('in')) {
    const values = tokens.list();
    const isPlain = values?.every((value) => value !== '' && value === value.trim() && !value.includes(','));
    return values !== null && values.length > 0 && isPlain ? { ...at, is: 'oneOf', value: values.join(', ') } : null;
  }
  const is = tokens.take('.', 'contains', '(') ? 'contains' : tokens.take('.', 'startsWith', '(') ? 'begins' : null;
  const value = is === null ? null : tokens.text();
  return is !== null && value !== null && value !== '' && tokens.take(')') ? { ...at, is, value } : null;
}
