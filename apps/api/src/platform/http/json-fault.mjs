// @ts-check
/**
 * Where text stops being JSON, and why: V8 gives a position in some cases, a quote of the text in others.
 */

const LITERALS = ['true', 'false', 'null'];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING_RUN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\n\r]*/y;

class Fault extends Error {
  /** @param {number} position @param {string} what */
  constructor(position, what) {
    super(what);
    this.position = position;
  }
}

/**
 * @param {string} text that `JSON.parse` refuses
 * @returns {string} for example `expected "," or "}" at line 1, column 9 (position 8)`
 */
export function explainFault(text) {
  const { message, position } = findFault(text);
  const column = position - (position > 0 ? text.lastIndexOf('\n', position - 1) : -1);
  return `${message} at line ${lineOf(text, position)}, column ${column} (position ${position})`;
}

/** Counts without a list of the lines: sixty million of them would end the thread. @param {string} text @param {number} position */
function lineOf(text, position) {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
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
  return { message: 'is no JSON', position: 0 };
}

/** Walks without recursion: the text may be nested as deep as it is long. @param {string} text */
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
      match(STRING_RUN);
      const next = text[at];
      if (next === '"') return void at++;
      if (next === undefined) throw new Fault(start, 'a string that does not end begins');
      if (next !== '\\') throw new Fault(at, 'a control character stands unescaped in a string');
      if (!match(ESCAPE)) throw new Fault(at, 'an escape that JSON does not have stands');
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
  /** @returns {boolean} whether a container was opened that has something in it */
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
      if (at < text.length) throw new Fault(at, 'something stands after the end of the JSON');
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
