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
  return `${message} at line ${lineNumber(text, position)}, column ${column} (position ${position})`;
}

/**
 * Counts lines without creating a list: sixty million lines would exhaust the memory. A search from line to line would
 * cost more than a step from character to character.
 * @param {string} text
 * @param {number} position
 */
function lineNumber(text, position) {
  let line = 1;
  for (let at = 0; at < position; at++) if (text.charCodeAt(at) === NEW_LINE) line++;
  return line;
}

/** @param {string} text @returns {{ message: string, position: number }} */
function findFault(text) {
  try {
    new Scanner(text).scan();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return { message: 'not valid JSON', position: 0 };
}

/** Scans without recursion, because the nesting can be as deep as the text is long. */
class Scanner {
  at = 0;
  /** Whether each open container is an object. @type {boolean[]} */
  open = [];

  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** @throws Fault at the first character that is not JSON */
  scan() {
    while (this.value());
    for (;;) {
      this.match(SPACE);
      const inObject = this.open.at(-1);
      if (inObject === undefined) {
        if (this.at < this.text.length) throw new Fault(this.at, 'unexpected text after the end of the JSON');
        return;
      }
      const close = inObject ? '}' : ']';
      if (this.text[this.at] === close) {
        this.at++;
        this.open.pop();
      } else if (this.text[this.at] === ',') {
        this.at++;
        if (inObject) this.name();
        while (this.value());
      } else this.expected(`"," or "${close}"`);
    }
  }

  /** @returns {boolean} whether a non-empty container was opened */
  value() {
    this.match(SPACE);
    const first = this.text[this.at];
    if (first === '"') this.string();
    else if (first === '{' || first === '[') return this.container(first === '{');
    else {
      const literal = LITERALS.find((each) => this.text.startsWith(each, this.at));
      if (literal) this.at += literal.length;
      else if (!this.match(NUMBER)) this.expected('a value');
    }
    return false;
  }

  /** @param {boolean} isObject @returns {boolean} whether it is not empty */
  container(isObject) {
    this.at++;
    this.match(SPACE);
    if (this.text[this.at] === (isObject ? '}' : ']')) {
      this.at++;
      return false;
    }
    this.open.push(isObject);
    if (isObject) this.name();
    return true;
  }

  name() {
    this.match(SPACE);
    if (this.text[this.at] !== '"') this.expected('a name in double quotes');
    this.string();
    this.match(SPACE);
    if (this.text[this.at] !== ':') this.expected('":"');
    this.at++;
  }

  string() {
    const start = this.at++;
    for (;;) {
      if (this.match(STRING_RUN)) continue;
      const next = this.text[this.at];
      if (next === '"') return void this.at++;
      if (next === undefined) throw new Fault(start, 'unterminated string');
      throw new Fault(this.at, next === '\\' ? 'invalid escape sequence' : 'unescaped control character in a string');
    }
  }

  /** @param {RegExp} pattern */
  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found !== null;
  }

  /** @param {string} what @returns {never} */
  expected(what) {
    const isEnd = this.at >= this.text.length;
    throw new Fault(this.at, isEnd ? `the text ends where ${what} is expected` : `expected ${what}`);
  }
}
