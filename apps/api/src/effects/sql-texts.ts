import type { Effect } from '#contracts/effects';
import { isDocumented } from './amounts.js';
import type { Entry } from './entry.js';
import { SQL_NAMES, SURE_SQL_NAMES } from './field-words.js';
import { endsWithSql } from './path-places.js';
import { pathWords, templateWords } from './path-words.js';
import { isSql, sqlEffects, type SqlEffects } from './sql.js';
import type { EffectSubject } from './subject.js';

/** A text that no search has. */
const MAY_ACT =
  /;|\b(?:drop|delete|insert|update|alter|truncate|grant|revoke|detach|merge|create|replace|commit|restore|backup|call|exec|execute|copy|load|kill|rename)\b/i;
/** More texts, or longer ones, are not read. */
const TEXTS_MAX = 50;
const LENGTH_MAX = 100_000;

/** What the SQL of a request does: in fields that hold it, and as the whole body. Null: there is none. */
export function sqlOf(subject: EffectSubject, entries: readonly Entry[]): SqlEffects | null {
  const { content } = subject;
  const isSqlPlace = isPlaceOfSql(subject);
  const given = entries.filter(mayHoldSql).flatMap((entry) => textsIn(entry, isSqlPlace));
  if (content.kind === 'text' && (isSql(content.text) || (isSqlPlace && MAY_ACT.test(content.text)))) {
    given.push(content.text);
  }
  const texts = [...new Set(given)];
  if (texts.length === 0) return null;
  // A field that the operation does not document may be read by nobody.
  const holdsSql = (entry: Entry): boolean => mayHoldSql(entry) && textsIn(entry, false).length > 0;
  const isRead = content.kind === 'text' || entries.some((entry) => holdsSql(entry) && isDocumented(subject, entry));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (texts.length > TEXTS_MAX || length > LENGTH_MAX) {
    const found = sqlEffects(texts.join(';\n').slice(0, LENGTH_MAX));
    return { isDocumented: isRead, isRead: false, effects: found.effects.add('unclear') };
  }
  const found = texts.map(effectsOf);
  return {
    isDocumented: isRead,
    isRead: found.every(({ isRead: reads }) => reads),
    effects: new Set(found.flatMap(({ effects }) => [...effects])),
  };
}

/** Whether it is an endpoint for SQL, by its name, or because the base URL itself takes statements. */
export function isPlaceOfSql({ paths, operation, content, query }: EffectSubject): boolean {
  const words = operation === null ? paths.map((path) => pathWords(path)) : [templateWords(operation.path)];
  if (words.every(endsWithSql)) return true;
  const isStatement =
    content.kind === 'text' ? isSql(content.text) : content.kind === 'none' && isSql(query.get('query') ?? '');
  return isStatement && paths.every((path) => path === '/' || path === '');
}

/** A text that does not begin like SQL, where SQL is expected, may be that of another language. */
function effectsOf(text: string): { isRead: boolean; effects: Set<Effect> } {
  const found = sqlEffects(text);
  return isSql(text) ? found : { isRead: false, effects: found.effects.add('unclear') };
}

const mayHoldSql = ({ names }: Entry): boolean => names.some((name) => SQL_NAMES.has(name));

function textsIn({ names, value }: Entry, isSqlPlace: boolean): string[] {
  const texts = [value].flat(LISTS_MAX) as unknown[];
  return texts
    .filter((text): text is string => typeof text === 'string' && text.trim() !== '')
    .filter(
      (text) => isSql(text) || names.some((name) => SURE_SQL_NAMES.has(name)) || (isSqlPlace && MAY_ACT.test(text)),
    );
}
/** Lists in lists. */
const LISTS_MAX = 8;
