/** Charsets in which every byte of ASCII is that letter or sign. */
const ONE_MEANING = 'utf-?8|(?:us-)?ascii|iso-?8859-\\d{1,2}|latin-?\\d|(?:windows-|cp)125\\d|euc-[a-z]{2}|koi8-[a-z]';
/** Here, letters, brackets and backslashes of ASCII may also be the second byte of a character. */
const TWO_MEANINGS = 'shift[_-]jis|gb\\d+|gbk|big5';
const WIDE = 'utf-?(?:16|32)(?:[bl]e)?';
const LIKE_ASCII = new RegExp(`^(?:${ONE_MEANING}|${TWO_MEANINGS})$`, 'i');

/**
 * Matches a `charset=` with one of these names, or without a value. It matches anywhere in the type, because Tomcat
 * takes what follows the first `charset=`, wherever it stands. The lookahead keeps the time linear: without it, the
 * pattern would also try fewer blanks before the value.
 */
const stated = (names: string): RegExp =>
  new RegExp(`charset\\s*=\\s*(?!\\s)(["']?)(?:${names}|)\\1(?=\\s*(?:[;,]|$))`, 'gi');
const STATED_LIKE_ASCII = stated(`${ONE_MEANING}|${TWO_MEANINGS}`);
const STATED_READABLE = stated(`${ONE_MEANING}|${TWO_MEANINGS}|${WIDE}`);
const STATED_READABLE_IN_JSON = stated(`${ONE_MEANING}|${WIDE}`);

export const isLikeAscii = (charset: string): boolean => LIKE_ASCII.test(charset);

const statesOther = (type: string, pattern: RegExp): boolean =>
  type.includes('charset') && type.replace(pattern, '').includes('charset');

/**
 * Whether a type states a charset that is not like ASCII, such as EBCDIC, UTF-7 or UTF-16. Java, .NET and Python read
 * these in forms. A field can then have any bytes.
 */
export const hasOtherLetters = (type: string): boolean => statesOther(type, STATED_LIKE_ASCII);

/** Express reads UTF-7 in JSON of any type. */
const UTF7 = /utf-\W*7/;
/** Media types whose fields may state a method or an operation. Text without a slash is no type. */
export const HAS_FIELDS = /urlencoded|multipart|json|graphql|xml|^[^/]*$/;
const MAY_BE_JSON = /json|^[^/]*$/;

/**
 * Whether a server may read other fields or values in a body of this type than the gateway does. The gateway reads
 * ASCII and UTF-8, and UTF-16 without its zeros.
 * @param type in lower case
 */
export const isReadOtherwise = (type: string): boolean =>
  UTF7.test(type) ||
  (HAS_FIELDS.test(type) && statesOther(type, STATED_READABLE)) ||
  (MAY_BE_JSON.test(type) && statesOther(type, STATED_READABLE_IN_JSON));
