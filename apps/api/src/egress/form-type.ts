import { errors } from '../platform/errors.js';

const FORM = /^multipart\/form-data[ \t]*(?=;|$)/i;
/**
 * Allows no blanks around a value. PHP and Rack take such blanks for a part of the value, or they find no boundary and
 * read the body in another way.
 */
const PARAMETER = /;[ \t]*(?:([^\s;=",]+)=(?:"([^"\\]*)"|([^\s;",\\]+)))?/y;
/** RFC 2046, section 5.1.1, without the characters that some readers take for the end, a quote or an encoded word. */
const BOUNDARY = /^[\w+./:=-]{1,200}$/;

/**
 * The boundary of a form. Null: the body is not a form. A type in which two readers could find two different boundaries
 * is refused, because the upstream might read other parts than people see.
 * @throws ApiError 400 if a form has none, or if readers could differ
 */
export function formBoundary(type: string): string | null {
  const contentType = type.trim();
  if (!/multipart\/form-data/i.test(contentType)) return null;
  const form = FORM.exec(contentType);
  if (form === null) throw errors.invalid('Content-Type: multipart/form-data is malformed');
  if (!isReadAsUtf8(contentType))
    throw errors.invalid('Content-Type: the charset of multipart/form-data must be UTF-8');
  let boundary: string | null = null;
  PARAMETER.lastIndex = form[0].length;
  while (PARAMETER.lastIndex < contentType.length) {
    const found = PARAMETER.exec(contentType);
    if (found === null) throw errors.invalid('Content-Type: the parameters of multipart/form-data are malformed');
    const [parameter, name = '', quoted, token] = found;
    // PHP takes the first `boundary` of the whole text, and Rack the last `boundary=`.
    if (!/boundary/i.test(parameter)) continue;
    if (boundary !== null || !isPlainBoundary(name, quoted ?? token)) {
      throw errors.invalid('Content-Type: multipart/form-data must name one plain boundary, once');
    }
    boundary = quoted ?? token;
  }
  if (boundary === null) throw errors.invalid('Content-Type: multipart/form-data needs a boundary');
  return boundary;
}

/**
 * The value may contain the word `boundary`, because browsers use boundaries such as `----geckoformboundary1f`. But if
 * the name is not in small letters, the value may not contain it: PHP looks for `boundary` in small letters first.
 */
function isPlainBoundary(name: string, value: string): boolean {
  const read = name === 'boundary' ? /boundary=/i : /boundary/i;
  return name.toLowerCase() === 'boundary' && BOUNDARY.test(value) && !read.test(value);
}

export const UTF8 = /^(?:utf-?8|us-ascii)$/i;
const UTF8_CHARSET = /charset=("?)(?:utf-?8|us-ascii)\1(?=[ \t]*(?:;|$))/gi;

/** Whether every `charset` in a type is UTF-8: Tomcat and others read it wherever it stands. */
export const isReadAsUtf8 = (type: string): boolean => !/charset/i.test(type.replace(UTF8_CHARSET, ''));
