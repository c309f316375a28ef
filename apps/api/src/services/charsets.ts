/** Charsets in which ASCII letters are the bytes of ASCII. */
const NAMES =
  'utf-?8|(?:us-)?ascii|iso-?8859-\\d{1,2}|latin-?\\d|(?:windows-|cp)125\\d|shift[_-]jis|euc-[a-z]{2}|gb\\d+|gbk|big5|koi8-[a-z]';
const LIKE_ASCII = new RegExp(`^(?:${NAMES})$`, 'i');
/** Also without a value. Tomcat takes what follows the first `charset=`, wherever it stands. */
const STATED_LIKE_ASCII = new RegExp(`charset\\s*=\\s*(["']?)(?:${NAMES}|)\\1(?=\\s*(?:[;,]|$))`, 'gi');

export const isLikeAscii = (charset: string): boolean => LIKE_ASCII.test(charset);

/** In EBCDIC, UTF-7 or UTF-16, which Java, .NET and Python read in forms, a field may have any bytes. */
export const hasOtherLetters = (type: string): boolean =>
  type.includes('charset') && type.replace(STATED_LIKE_ASCII, '').includes('charset');

/** @param code matches the hex digits of one character */
export const fromHex = (text: string, code: RegExp): string =>
  text.replace(code, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
