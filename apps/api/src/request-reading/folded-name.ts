/** The name of a field as readers see it that don't tell the case of letters apart, such as Go's. */
export const foldedName = (name: string): string => name.toUpperCase().toLowerCase();

/**
 * One name for all that some reader takes for the same: PHP reads `a.b`, `a b` and `a[b` as `a_b`, ASP.NET `a.b` as
 * `a[b]`, and both `a[]` as `a`.
 */
export const readName = (name: string): string => foldedName(trimmed(name)).replace(/[.\s[\]]+/g, '_');

/** What precedes the first bracket or dot. PHP and others make an object of this name, in place of a field. */
export const outerName = (name: string): string => readName(name.split(/(?<=.)[[.]/, 1)[0]);

/** Whether some reader may take a field of this name for the wanted one. */
export const mayBeField = (name: string, wanted: string): boolean =>
  !beginDifferently(name, wanted) && (readName(name) === readName(wanted) || outerName(name) === readName(wanted));

/** Nearly all names do. This costs a tenth of the comparison. */
const beginDifferently = (name: string, other: string): boolean =>
  isPlainLetter(name[0]) && isPlainLetter(other[0]) && name[0].toLowerCase() !== other[0].toLowerCase();

const isPlainLetter = (character: string | undefined): boolean =>
  character !== undefined && /^[a-z\d]$/i.test(character);

/** Without blanks and brackets at both ends. A regular expression would take quadratic time. */
function trimmed(name: string): string {
  let [start, end] = [0, name.length];
  while (start < end && isFiller(name[start])) start++;
  while (start < end && isFiller(name[end - 1])) end--;
  return name.slice(start, end);
}

const isFiller = (character: string): boolean => /[\s[\]]/.test(character);
