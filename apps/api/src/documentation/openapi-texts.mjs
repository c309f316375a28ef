// @ts-check

export const TEXT_MAX = 2_000;
const SENTENCE_MAX = 120;

/**
 * @param {unknown} value
 * @param {number} max
 */
export function text(value, max) {
  return typeof value === 'string' && value !== '' ? storable(value, max) : null;
}

/**
 * The summary of an operation whose author gave it none.
 * @param {unknown} description
 */
export function firstSentence(description) {
  if (typeof description !== 'string') return null;
  const plain = description
    .slice(0, TEXT_MAX)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const [sentence] = plain.split(/(?<=[.!?])\s/, 1);
  return text(sentence.length > SENTENCE_MAX ? `${sentence.slice(0, SENTENCE_MAX - 1)}…` : sentence, TEXT_MAX);
}

/**
 * Makes a text that PostgreSQL can store: without NUL and unpaired surrogates.
 * @param {string} value
 * @param {number} max
 */
export function storable(value, max) {
  return value.slice(0, max).replaceAll('\0', '').toWellFormed();
}
