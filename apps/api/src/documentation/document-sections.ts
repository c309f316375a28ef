import type { ShortSteps } from '../platform/short-steps.js';
import { Pauses } from './pauses.js';

/** The searched part of a markdown or text document. */
export interface ProseDocument {
  title: string;
  content: string;
}

/** Searching so many characters takes about as long as one comparison of words. */
const CHARS_PER_WORK = 50;
/** A section can have as many characters as its document, so it is searched in pieces. */
const PIECE_CHARS = 4_000;

/**
 * Returns the sections that mention any of the terms, those with the strongest term first. If there are none, returns
 * the start of each document.
 * @param terms the most specific one first
 */
export function* relevantSections(
  documents: ProseDocument[],
  terms: string[],
  budgetChars: number,
): ShortSteps<string> {
  const heads = documents.map(({ title, content }) => ({ title, text: content.trim() }));
  return (yield* sectionsAbout(documents, terms, budgetChars)) || fillBudget(heads, budgetChars);
}

/** Like `relevantSections`, but returns an empty text if no section mentions a term. */
export function* sectionsAbout(documents: ProseDocument[], terms: string[], budgetChars: number): ShortSteps<string> {
  const wanted = terms.filter((term) => term !== '').map((term) => term.toLowerCase());
  const pauses = new Pauses();
  const found: { title: string; text: string; rank: number }[] = [];
  for (const { title, content } of documents) {
    for (const text of sections(content)) {
      const rank = yield* findFirstTerm(text.toLowerCase(), wanted, pauses);
      if (rank !== -1) found.push({ title, text, rank });
      if (pauses.isDue()) yield;
    }
  }
  return fillBudget(
    found.sort((one, other) => one.rank - other.rank),
    budgetChars,
  );
}

/** Splits at markdown headings, or at paragraphs if there are no headings. */
function sections(content: string): string[] {
  const byHeading = content.split(/\n(?=#{1,6} )/);
  const parts = byHeading.length > 1 ? byHeading : content.split(/\n\s*\n/);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** The first of the terms that the text contains, or -1. */
function* findFirstTerm(text: string, terms: string[], pauses: Pauses): ShortSteps<number> {
  for (const [rank, term] of terms.entries()) {
    for (let at = 0; at + term.length <= text.length; at += PIECE_CHARS) {
      // A term can begin in this piece and end in another one.
      const piece = text.slice(at, at + PIECE_CHARS + term.length - 1);
      if (piece.includes(term)) return rank;
      if (pauses.isDue(piece.length / CHARS_PER_WORK)) yield;
    }
  }
  return -1;
}

function fillBudget(parts: { title: string; text: string }[], budgetChars: number): string {
  let result = '';
  for (const { title, text } of parts) {
    const left = budgetChars - result.length;
    if (left <= 0) break;
    const part = `${result === '' ? '' : '\n\n'}[${title}]\n${text}`;
    result += part.length <= left ? part : part.slice(0, left);
  }
  return result.toWellFormed();
}
