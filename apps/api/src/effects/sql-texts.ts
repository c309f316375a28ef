import { isDocumented } from './amounts.js';
import type { Entry } from './field-entries.js';
import { isSql, sqlEffects, type SqlEffects } from './sql.js';
import type { EffectSubject } from './subject.js';

/** Fields that hold SQL, in the APIs of databases and warehouses. */
const NAMES = new Set(
  'sql raw-sql query statement statements sql-text sql-statement q sql-query raw-query query-text command script query-string stmt batch'.split(
    ' ',
  ),
);

/** What the SQL of a request does: in fields that hold it, and as the whole body. Null: there is none. */
export function sqlOf(subject: EffectSubject, entries: readonly Entry[]): SqlEffects | null {
  const { content } = subject;
  const texts = entries
    .filter(holdsSql)
    .flatMap(({ value }) => [value].flat().filter((text) => typeof text === 'string' && isSql(text))) as string[];
  if (content.kind === 'text' && isSql(content.text)) texts.push(content.text);
  if (texts.length === 0) return null;
  const found = texts.map(sqlEffects);
  // A field that the operation does not document may be read by nobody.
  const isRead = content.kind === 'text' || entries.some((entry) => holdsSql(entry) && isDocumented(subject, entry));
  return {
    isDocumented: isRead,
    isRead: found.every(({ isRead }) => isRead),
    effects: new Set(found.flatMap(({ effects }) => [...effects])),
  };
}

const holdsSql = ({ name, value }: Entry): boolean =>
  NAMES.has(name) && [value].flat().some((text) => typeof text === 'string' && isSql(text));
