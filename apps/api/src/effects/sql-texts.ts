import { isDocumented } from './amounts.js';
import type { JsonValue } from '../request-reading/request-content.js';
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

/**
 * What the SQL of a request does: in fields that hold it, and as the whole body. Null: there is none.
 * @param given to calls that run SQL
 */
export function sqlOf(
  subject: EffectSubject,
  entries: readonly Entry[],
  given: readonly JsonValue[] = [],
): SqlEffects | null {
  const { content } = subject;
  const isSqlPlace = isPlaceOfSql(subject);
  const found = entries.filter(mayHoldSql).flatMap((entry) => textsIn(entry, isSqlPlace));
  if (content.kind === 'text' && (isSql(content.text) || (isSqlPlace && MAY_ACT.test(content.text)))) {
    found.push(content.text);
  }
  // Where statements run, one may stand in any field.
  const around = isSqlPlace ? valuesOf(subject) : [];
  const texts = [...new Set([...found, ...textsBelow([...given, ...around]).filter(hasStatement)])];
  if (texts.length === 0) return null;
  // A field that the operation does not document may be read by nobody.
  const holdsSql = (entry: Entry): boolean => mayHoldSql(entry) && textsIn(entry, false).length > 0;
  const isRead = content.kind === 'text' || entries.some((entry) => holdsSql(entry) && isDocumented(subject, entry));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (texts.length > TEXTS_MAX || length > LENGTH_MAX) {
    const { effects } = sqlEffects(texts.join(';\n').slice(0, LENGTH_MAX));
    return { isDocumented: isRead, isRead: false, isCut: true, effects: effects.add('unclear') };
  }
  const each = texts.map(effectsOf);
  return {
    isDocumented: isRead,
    isRead: each.every(({ isRead: reads }) => reads),
    isCut: each.some(({ isCut }) => isCut === true),
    effects: new Set(each.flatMap(({ effects }) => [...effects])),
  };
}

const valuesOf = ({ content, query }: EffectSubject): JsonValue[] => {
  const asked = [...query.values()];
  if (content.kind === 'json') return [...asked, content.value];
  if (content.kind === 'lines') return [asked, content.values].flat();
  return content.kind === 'form' ? [asked, ...content.fields.values()].flat() : asked;
};

/** The texts in values, apart from those that people write about them. Without recursion. */
function textsBelow(values: readonly JsonValue[]): string[] {
  const texts: string[] = [];
  const left = [...values];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') texts.push(next);
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (typeof next === 'object' && next !== null)
      for (const [name, value] of Object.entries(next)) if (!IS_PROSE.test(name)) left.push(value);
  }
  return texts;
}
const IS_PROSE =
  /^(?:descriptions?|comments?|reason|explanation|notes?|title|summary|purpose|intent|thoughts?|name|label)$/i;

/** Whether a text is a statement, or has one behind a semicolon. */
const hasStatement = (text: string): boolean => {
  const pieces = text.slice(0, LENGTH_MAX).split(';', PIECES_MAX);
  return pieces.length === PIECES_MAX || pieces.some((piece) => isSql(piece) || RUNS.test(piece));
};
const PIECES_MAX = 200;
/** Statements that change the database, and that prose does not begin with. */
const RUNS =
  /^\s*(?:kill\s+(?:query\s+|connection\s+)?\d|(?:at|de)tach\s+(?:database|partition|table)\b|(?:rename|lock|optimize|reindex|repair)\s+tables?\b|load\s+data\b|(?:backup|restore)\s+(?:database|log|table)\b|shutdown\s*$|pragma\s+\w)/i;

/** Whether it is an endpoint for SQL, by its name, or because the base URL itself takes statements. */
export function isPlaceOfSql({ paths, operation, content, query }: EffectSubject): boolean {
  const words = operation === null ? paths.map((path) => pathWords(path)) : [templateWords(operation.path)];
  if (words.every(endsWithSql)) return true;
  const isStatement =
    content.kind === 'text' ? isSql(content.text) : content.kind === 'none' && isSql(query.get('query') ?? '');
  return isStatement && paths.every((path) => path === '/' || path === '');
}

/** A text that does not begin like SQL, where SQL is expected, may be that of another language. */
function effectsOf(text: string): SqlEffects {
  const found = sqlEffects(text);
  return isSql(text) ? found : { ...found, isRead: false, effects: found.effects.add('unclear') };
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
