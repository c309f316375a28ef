/** A markdown or text document, as far as it is looked at. */
export interface ProseDocument {
  title: string;
  content: string;
}

/**
 * The sections that mention any of the terms, those with the strongest term first; without any, the head of each document.
 * @param terms the most telling one first
 */
export function relevantSections(documents: ProseDocument[], terms: string[], budgetChars: number): string {
  const heads = documents.map(({ title, content }) => ({ title, text: content.trim() }));
  return sectionsAbout(documents, terms, budgetChars) || fill(heads, budgetChars);
}

/** The sections that mention any of the terms, as above; empty without any. */
export function sectionsAbout(documents: ProseDocument[], terms: string[], budgetChars: number): string {
  const wanted = terms.filter((term) => term !== '').map((term) => term.toLowerCase());
  const found = documents
    .flatMap((document) => sections(document.content).map((text) => ({ title: document.title, text })))
    .map((section) => ({ ...section, rank: rankOf(section.text.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank !== -1)
    .sort((one, other) => one.rank - other.rank);
  return fill(found, budgetChars);
}

/** A heading of markdown begins a section, and so does a paragraph where there are no headings. */
function sections(content: string): string[] {
  const byHeading = content.split(/\n(?=#{1,6} )/);
  const parts = byHeading.length > 1 ? byHeading : content.split(/\n\s*\n/);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function rankOf(text: string, terms: string[]): number {
  return terms.findIndex((term) => text.includes(term));
}

function fill(parts: { title: string; text: string }[], budgetChars: number): string {
  let result = '';
  for (const { title, text } of parts) {
    const left = budgetChars - result.length;
    if (left <= 0) break;
    const part = `${result === '' ? '' : '\n\n'}[${title}]\n${text}`;
    result += part.length <= left ? part : part.slice(0, left);
  }
  return result.toWellFormed();
}
