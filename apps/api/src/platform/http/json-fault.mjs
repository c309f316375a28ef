// @ts-check
/**
 * Finds where a text stops being valid JSON, and why. V8's own error gives only sometimes a position, and sometimes
 * quotes the text.
 */

const LITERALS = ['true', 'false', 'null'];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A limited number of parts, because the expression keeps a note of each. */
const STRING_RUN = /(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;
const NEW_LINE = 0x0a;
const SPACE = /[ \t\n\r]*/y;

class Fault extends Error {
  /** @param {number} position @param {string} what */
  constructor(position, what) {
    super(what);
    this.position = position;
  }
}

/**
 * @param {string} text text that `JSON.parse` refuses
 * @returns {string} for example `expected "," or "}" at line 1, column 9 (position 8)`
 */
export function explainFault(text) {
  const { message, position } = findFault(text);
  const column = position - (position > 0 ? text.lastIndexOf('\n', position - 1) : -1);
  return `${message} at line ${lineOf(text, position)}, column ${column} (position ${position})`;
}

/**
 * Counts lines without creating a list: sixty million lines would exhaust the memory. A search from line to line would
 * cost more than a step from character to character.
 * @param {string} text
 * @param {number} position
 */
function lineOf(text, position) {
  let line = 1;
  for (let at = 0; at < position; at++) if (text.charCodeAt(at) === NEW_LINE) line++;
  return line;
}

/** @param {string} text @returns {{ message: string, position: number }} */
function findFault(text) {
  try {
    scan(text);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return { message: 'not valid JSON', position: 0 };
}

/** Scans without recursion, because the nesting can be as deep as the text is long. @param {string} text */
function scan(text) {
  let at = 0;
  /** Whether each open container is an object. @type {boolean[]} */
  const open = [];

  /** @param {RegExp} pattern */
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found !== null;
  };
  /** @param {string} what @returns {never} */
  const expected = (what) => {
    throw new Fault(at, at >= text.length ? `the text ends where ${what} is expected` : `expected ${what}`);
  };
  const string = () => {
    const start = at++;
    for (;;) {
      if (match(STRING_RUN)) continue;
      const next = text[at];
      if (next === '"') return void at++;
      if (next === undefined) throw new Fault(start, 'unterminated string');
      throw new Fault(at, next === '\\' ? 'invalid escape sequence' : 'unescaped control character in a string');
    }
  };
  const name = () => {
    match(SPACE);
    if (text[at] !== '"') expected('a name in double quotes');
    string();
    match(SPACE);
    if (text[at] !== ':') expected('":"');
    at++;
  };
  /** @returns {boolean} whether a non-empty container was opened */
  const value = () => {
    match(SPACE);
    const first = text[at];
    if (first === '"') string();
    else if (first === '{' || first === '[') {
      const isObject = first === '{';
      at++;
      match(SPACE);
      if (text[at] === (isObject ? '}' : ']')) {
        at++;
        return false;
      }
      open.push(isObject);
      if (isObject) name();
      return true;
    } else {
      const literal = LITERALS.find((each) => text.startsWith(each, at));
      if (literal) at += literal.length;
      else if (!match(NUMBER)) expected('a value');
    }
    return false;
  };

  while (value());
  for (;;) {
    match(SPACE);
    const inObject = open.at(-1);
    if (inObject === undefined) {
      if (at < text.length) throw new Fault(at, 'unexpected text after the end of the JSON');
      return;
    }
    const close = inObject ? '}' : ']';
    if (text[at] === close) {
      at++;
      open.pop();
    } else if (text[at] === ',') {
      at++;
      if (inObject) name();
      while (value());
    } else expected(`"," or "${close}"`);
  }
}
