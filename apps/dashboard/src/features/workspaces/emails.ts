/** The addresses in a text, each one once. They may be separated as in a mail program, or one per line. */
export function emailsIn(text: string): string[] {
  const found = text
    .split(/[\s,;]+/)
    .map((part) => part.replace(/^<|>$/g, ''))
    .filter((part) => part !== '');
  return found.filter((email, index) => found.findIndex((other) => isSame(other, email)) === index);
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Finds typing errors only. The server checks the address. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text);
