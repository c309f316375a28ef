/** What a content type says, if every reader takes the same from it. */
export interface MediaType {
  /** Type and subtype, in lower case. */
  essence: string;
  charset: string | null;
}

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/;
/** The lookahead keeps it linear: fewer blanks are never tried. */
const PARAMETER = /[ \t]*;[ \t]*(?![ \t])(?:([\w!#$&^.+-]+)=(?:"([^"\\]*)"|([^\s;",\\]*)))?/y;

/** Null: it is not a single media type with plain parameters. */
export function mediaType(text: string): MediaType | null {
  const value = text.trim();
  const [essence] = TYPE.exec(value) ?? [];
  if (essence === undefined) return null;
  let charset: string | null = null;
  PARAMETER.lastIndex = essence.length;
  while (PARAMETER.lastIndex < value.length) {
    const found = PARAMETER.exec(value);
    if (found === null) return null;
    const [, name, quoted, token] = found;
    const read = quoted ?? token;
    if (name === undefined || !/charset/i.test(found[0])) continue;
    // Tomcat takes what follows the first `charset=`, wherever it stands.
    if (name.toLowerCase() !== 'charset' || charset !== null || /charset/i.test(read)) return null;
    charset = read.toLowerCase();
  }
  return { essence: essence.toLowerCase(), charset };
}

export const isUtf8 = ({ charset }: MediaType): boolean => charset === null || /^utf-?8$/.test(charset);
