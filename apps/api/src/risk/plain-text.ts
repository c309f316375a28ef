/**
 * Undoes the ways in which words can be written so that a model reads them and a search does not find them. Imports
 * nothing.
 */

/** A text to search in, and the same text to quote. Both have the same length. */
export interface PlainText {
  /** Lower case, with look-alike letters as Latin ones. */
  searched: string;
  /** As a person would read it. */
  quoted: string;
  /** Whether characters that nobody sees were left out. */
  hasUnseen: boolean;
}

const [TAB, NEWLINE, RETURN, SPACE, PERCENT, PLUS, BACKSLASH] = [9, 10, 13, 32, 37, 43, 92];
const [LOWER_U, LOWER_X, BRACE, BRACE_END] = [117, 120, 123, 125];
/** The letters of JSON's escapes: backspace, form feed, line feed, carriage return and tab. */
const ESCAPES = new Map([
  [98, SPACE],
  [102, NEWLINE],
  [110, NEWLINE],
  [114, NEWLINE],
  [116, TAB],
]);
const NEL = 0x85;
/** RIGHT-TO-LEFT OVERRIDE, and what ends it. */
const [OVERRIDE, POP] = [0x202e, 0x202c];
const CASE = 32;

/** The lower case of visible ASCII characters that begin no escape; 0 for all others. */
const ORDINARY = Uint8Array.from({ length: 128 }, (_, code) =>
  code <= SPACE || code === 127 || code === PERCENT || code === PLUS || code === BACKSLASH ? 0 : lowerCase(code),
);

/** Letters of other alphabets that look like Latin ones, and Latin small capitals. */
const LOOK_ALIKES = new Map(
  Array.from(
    'аеіорсухѕјһԁɡɑɩαορνικАВЕКМНОРСТХІЅЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧıквмнптгүԛԝѵոօսհցᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ',
    (letter, at) => [
      letter.charCodeAt(0),
      'aeiopcyxsjhdgaiaopvikabekmhopctxisjabezhikmnoptyxikbmhntryqwvnouhgabcdefghijklmnoprstuvwyz'.charCodeAt(at),
    ],
  ),
);

/** Most texts of programs are their own plain text: ASCII without escapes and without runs of blanks. */
const NEEDS_READING = /[^\n -~]|[%+\\]|(?:^|[\n ])[\n ]/;

/**
 * Undoes percent-encoding and JSON escapes of any depth, removes what nobody sees, and decodes letters that hide in
 * invisible or styled characters. Runs of blanks become one. Takes one step for each character.
 * @param unseen 'blank': what nobody sees separates words
 */
export function plainText(text: string, unseen: 'none' | 'blank' = 'none'): PlainText {
  if (!NEEDS_READING.test(text)) return { searched: text.toLowerCase(), quoted: text, hasUnseen: false };
  return new TextPass(text, unseen === 'blank').all();
}

/** One character as `searched` has it. Empty: nobody sees it. */
export function plainCharacter(point: number): string {
  const code = visible(point);
  if (code === 0) return '';
  return code > 0xffff ? ' ' : String.fromCharCode(folded(code));
}

/** One pass over a text. */
class TextPass {
  private readonly quoted: Uint16Array;
  private readonly searched: Uint16Array;
  private length = 0;
  private at = 0;
  /** Letters in invisible characters, which may stand between visible ones. */
  private readonly hidden: number[] = [];
  /** Where the text begins that runs backwards. -1: it runs forwards. */
  private turnedFrom = -1;
  private hasUnseen = false;

  constructor(
    private readonly text: string,
    private readonly separates: boolean,
  ) {
    // One more, for the line break before hidden letters.
    this.quoted = new Uint16Array(text.length + 1);
    this.searched = new Uint16Array(text.length + 1);
  }

  all(): PlainText {
    const { text } = this;
    while (this.at < text.length) {
      this.letters();
      if (this.at < text.length) this.write(this.next());
    }
    this.turn();
    if (this.hidden.length > 0) this.blank(NEWLINE);
    for (const code of this.hidden) this.seen(code);
    const [searched, quoted] = [decodeUnits(this.searched, this.length), decodeUnits(this.quoted, this.length)];
    return { searched, quoted, hasUnseen: this.hasUnseen };
  }

  /** Copies ordinary characters, fast. */
  private letters(): void {
    const { text, quoted, searched } = this;
    let { at, length } = this;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const plain = code < 128 ? ORDINARY[code] : 0;
      if (plain === 0) break;
      quoted[length] = code;
      searched[length] = plain;
      length += 1;
    }
    this.at = at;
    this.length = length;
  }

  /** The next code point, decoded. */
  private next(): number {
    const code = this.text.charCodeAt(this.at);
    if (code === BACKSLASH) return this.escape();
    if (code === PERCENT) return this.percent();
    if (code === PLUS) {
      this.at += 1;
      return SPACE;
    }
    const point = code < 0xd800 || code > 0xdbff ? code : this.text.codePointAt(this.at)!;
    this.at += point > 0xffff ? 2 : 1;
    return point;
  }

  /** JSON in JSON has several backslashes, or an escape in place of one. */
  private escape(): number {
    let kind = BACKSLASH;
    do {
      this.at += kind === BACKSLASH ? 1 : 5;
      kind = this.text.charCodeAt(this.at);
    } while (kind === BACKSLASH || (kind === LOWER_U && this.hex(this.at + 1, 4) === BACKSLASH));
    if (kind === LOWER_X) {
      const code = this.hex(this.at + 1, 2);
      if (code >= 0) this.at += 3;
      return code;
    }
    if (kind === LOWER_U && this.text.charCodeAt(this.at + 1) === BRACE) return this.braced();
    if (kind === LOWER_U) {
      const code = this.hex(this.at + 1, 4);
      if (code >= 0) this.at += 5;
      return code >= 0xd800 && code < 0xdc00 ? this.lowHalf(code) : code;
    }
    const escaped = ESCAPES.get(kind);
    if (escaped === undefined) return -1;
    this.at += 1;
    return escaped;
  }

  /** `\u{69}` in JavaScript. */
  private braced(): number {
    for (let digits = 1; digits <= 6; digits += 1) {
      if (this.text.charCodeAt(this.at + 2 + digits) !== BRACE_END) continue;
      const point = this.hex(this.at + 2, digits);
      if (point < 0 || point > 0x10ffff) return -1;
      this.at += digits + 3;
      return point;
    }
    return -1;
  }

  /** The second half of an astral character is an escape of its own. */
  private lowHalf(high: number): number {
    let at = this.at;
    while (this.text.charCodeAt(at) === BACKSLASH) at += 1;
    const low = at > this.at && this.text.charCodeAt(at) === LOWER_U ? this.hex(at + 1, 4) : -1;
    if (low < 0xdc00 || low > 0xdfff) return -1;
    this.at = at + 5;
    return 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
  }

  private percent(): number {
    this.at += 1;
    const lead = this.byte();
    // The escape() of JavaScript.
    if ((lead < 0 || lead === PERCENT) && this.text.charCodeAt(this.at) === LOWER_U) {
      const code = this.hex(this.at + 1, 4);
      if (code >= 0) this.at += 5;
      return code < 0 ? PERCENT : code;
    }
    if (lead === PLUS) return SPACE;
    if (lead < 0x80) return lead < 0 ? PERCENT : lead;
    const more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    let point = lead & (0x3f >> more);
    for (let n = 0; n < more; n += 1) {
      if (this.text.charCodeAt(this.at) !== PERCENT) return -1;
      this.at += 1;
      const next = this.byte();
      if (next < 0x80 || next > 0xbf) return -1;
      point = point * 64 + (next & 0x3f);
    }
    return point;
  }

  /** The byte after a percent sign, which may itself be encoded: `%2520`. */
  private byte(): number {
    let byte = this.hex(this.at, 2);
    while (byte === PERCENT) {
      this.at += 2;
      byte = this.hex(this.at, 2);
      if (byte < 0) return PERCENT;
    }
    if (byte >= 0) this.at += 2;
    return byte;
  }

  private hex(from: number, digits: number): number {
    let value = 0;
    for (let at = from; at < from + digits; at += 1) {
      const digit = parseHexDigit(this.text.charCodeAt(at));
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }

  private write(point: number): void {
    if (point === OVERRIDE && this.turnedFrom < 0) this.turnedFrom = this.length;
    if (point === POP) this.turn();
    if (point >= 33 && point < 127) return this.seen(point);
    if (point < 0) return;
    const isSmuggled = point >= 0xe0000 && point <= 0xe01ef;
    if (isSmuggled) this.hidden.push(smuggled(point));
    const code = isSmuggled ? 0 : visible(point);
    if (code > 0) return this.seen(code);
    this.hasUnseen = true;
    if (this.separates) this.blank(SPACE);
  }

  private seen(code: number): void {
    if (code === SPACE || code === NEWLINE) this.blank(code);
    // Emoji and the like separate words.
    else if (code > 0xffff) this.blank(SPACE);
    else if (code > 0) this.put(code, folded(code));
  }

  /** A run of blanks with a line break is one line break. */
  private blank(code: number): void {
    if (code === NEWLINE) this.turn();
    const last = this.length === 0 ? NEWLINE : this.searched[this.length - 1];
    if (last === SPACE && code === NEWLINE) this.length -= 1;
    else if (last === SPACE || last === NEWLINE) return;
    this.put(code, code);
  }

  /** What a person sees of text after an override of the direction. */
  private turn(): void {
    if (this.turnedFrom < 0) return;
    this.quoted.subarray(this.turnedFrom, this.length).reverse();
    this.searched.subarray(this.turnedFrom, this.length).reverse();
    this.turnedFrom = -1;
  }

  private put(quoted: number, searched: number): void {
    this.quoted[this.length] = quoted;
    this.searched[this.length] = searched;
    this.length += 1;
  }
}

/** @returns 0 for what nobody sees */
function visible(point: number): number {
  if (point >= 0x3400 && point < 0xd800) return point;
  if (point === TAB || point === SPACE) return SPACE;
  if ((point >= NEWLINE && point <= RETURN) || point === NEL || point === 0x2028 || point === 0x2029) return NEWLINE;
  if ((point >= 0x2000 && point <= 0x200a) || BLANKS.has(point)) return SPACE;
  if (point >= 0xff01 && point <= 0xff5e) return point - 0xfee0;
  if (isUnseen(point)) return 0;
  // Most letters of living scripts, which have no style.
  if (point < 0x2b0 || (point > 0x2e4 && point < 0x1d2c)) return point;
  if (STYLED_RANGES.some(([from, to]) => point >= from && point <= to)) return styled(point);
  const first = ENCLOSED.find((letter) => point >= letter && point < letter + 26);
  return first === undefined ? point : point - first + 65;
}

/** Tags, and variation selectors by which text is smuggled, have the numbers of their letters. */
function smuggled(point: number): number {
  const code = point < 0xe0100 ? point - 0xe0000 : point - 0xe0100 + 16;
  return code >= SPACE && code < 127 ? code : 0;
}

/** No-break, Ogham, mathematical and ideographic spaces, and the Braille pattern without dots. */
const BLANKS = new Set([0xa0, 0x1680, 0x202f, 0x205f, 0x2800, 0x3000]);
/** Besides what has no shape, marks that are put over a letter. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Script=Inherited}]/u;
const [UNKNOWN, NO, YES] = [0, 1, 2];
const KNOWN_UNSEEN = new Uint8Array(0x110000);

function isUnseen(point: number): boolean {
  if (KNOWN_UNSEEN[point] === UNKNOWN) KNOWN_UNSEEN[point] = UNSEEN.test(String.fromCodePoint(point)) ? YES : NO;
  return KNOWN_UNSEEN[point] === YES;
}

/** Raised, small, letterlike, enclosed and mathematical letters, and Roman numerals. */
const STYLED_RANGES = [
  [0x2b0, 0x2b8],
  [0x2e0, 0x2e4],
  [0x1d2c, 0x1dbf],
  [0x2070, 0x209c],
  [0x2100, 0x214f],
  [0x2160, 0x217f],
  [0x24b6, 0x24e9],
  [0x1d400, 0x1d7ff],
  [0x1f130, 0x1f149],
];
/** Where these letters begin: in parentheses, in filled circles, in filled boxes, and those whose pairs are flags. */
const ENCLOSED = [0x249c, 0x1f110, 0x1f150, 0x1f170, 0x1f1e6];
const STYLED = new Map<number, number>();

/** The letter without its style or accent. */
function styled(point: number): number {
  const known = STYLED.get(point);
  if (known !== undefined) return known;
  const plain = String.fromCodePoint(point).normalize('NFKD').codePointAt(0)!;
  STYLED.set(point, plain);
  return plain;
}

function folded(code: number): number {
  if (code < 128) return lowerCase(code);
  if (code < 0x600 || (code >= 0x1d00 && code < 0x1d2c) || code === 0xa730 || code === 0xa731) {
    const alike = LOOK_ALIKES.get(code);
    if (alike !== undefined) return alike;
  }
  const hasAccent = (code >= 0xc0 && code < 0x250) || (code >= 0x1e00 && code < 0x1f00);
  return hasAccent ? lowerCase(styled(code)) : code;
}

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code + CASE : code;
}

function parseHexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | CASE;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

const decodeUnits = (units: Uint16Array, length: number): string =>
  Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
