/**
 * How many bytes of memory a text takes: one for each character, or two if any character is beyond Latin-1. Searching
 * for such a character would take long. So every text that is not pure ASCII counts two bytes for each character.
 */
export const textMemoryBytes = (text: string): number =>
  Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
