import { plural } from '../../lib/format.js';

/** The texts about values in base64. Few bodies need them. */
export const decodedMessages = {
  decoded: 'decoded:',
  beginning: 'decoded, the first 64 kB:',
  part: 'a part of it, decoded:',
  tooMuch: 'This value may be base64. It is not decoded, because the request has too much of it.',
  characters: (count: number) => `… ${plural(count, 'character', 'characters')} decoded`,
} as const;
