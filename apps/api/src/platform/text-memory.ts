/**
 * How many bytes of memory a text takes: two for each character if one of them is beyond Latin-1. To look for that one
 * would take long, so text of Latin-1 beyond ASCII counts twice too.
 */
export const memoryOf = (text: string): number =>
  Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
