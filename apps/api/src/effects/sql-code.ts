/**
 * SQL without its comments, strings and quoted names. Databases differ: a backslash escapes in MySQL and not in
 * PostgreSQL, and a text can hide a statement from a reader of the other one.
 */
export type SqlDialect = 'postgres' | 'mysql';

/** Each tag that is not closed is searched to the end of the text. Genuine statements close all. */
const DOLLAR_TAG = /\$\w{0,60}\$/y;
const LINE_COMMENT = { postgres: /--/y, mysql: /--(?=\s|$)|#/y };

/** Null: something is not closed, or a comment is in a comment, so that readers may differ. */
export function sqlCode(text: string, dialect: SqlDialect): string | null {
  let code = '';
  for (let at = 0; at < text.length;) {
    const end = endOfHidden(text, at, dialect);
    if (end === null) return null;
    // A name is a word of the statement, and a string is a value.
    code += end === at ? text[at] : NAMES.has(text[at]) ? ' name ' : STRINGS.has(text[at]) ? " '' " : ' ';
    at = Math.max(end, at + 1);
  }
  return code;
}

const NAMES = new Set(['"', '`']);
const STRINGS = new Set(["'", '$']);

/** Where that ends what begins at a place and is no code; the place itself if it is code. Null: nowhere. */
function endOfHidden(text: string, at: number, dialect: SqlDialect): number | null {
  const character = text[at];
  if (character === "'" || character === '"') return endOfQuoted(text, at, dialect === 'mysql');
  if (character === '`') return after(text, '`', at + 1);
  if (character === '$' && dialect === 'postgres') {
    DOLLAR_TAG.lastIndex = at;
    const tag = DOLLAR_TAG.exec(text)?.[0];
    return tag === undefined ? at : after(text, tag, at + tag.length);
  }
  // MySQL runs what is in `/*! … */`, and MariaDB also `/*M! … */`.
  if (text.startsWith('/*', at) && !/^M?!/.test(text.slice(at + 2, at + 4))) {
    const end = after(text, '*/', at + 2);
    return end !== null && text.slice(at + 2, end).includes('/*') ? null : end;
  }
  const comment = LINE_COMMENT[dialect];
  comment.lastIndex = at;
  if (!comment.test(text)) return at;
  const line = text.indexOf('\n', at);
  return line === -1 ? text.length : line;
}

function after(text: string, mark: string, from: number): number | null {
  const at = text.indexOf(mark, from);
  return at === -1 ? null : at + mark.length;
}

/** A quotation mark that stands twice is a part of the text. */
function endOfQuoted(text: string, start: number, hasEscapes: boolean): number | null {
  const mark = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (hasEscapes && text[at] === '\\') at += 1;
    else if (text[at] === mark) {
      if (text[at + 1] !== mark) return at + 1;
      at += 1;
    }
  }
  return null;
}
