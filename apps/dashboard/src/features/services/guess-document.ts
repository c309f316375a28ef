import type { DocumentType } from '#contracts/states';

/** What kind of document a file is, by its content first: a `.txt` may hold OpenAPI. */
export function guessDocument(name: string, content: string): DocumentType {
  const head = content.slice(0, 20_000);
  if (/^\s*\{[^]*"(openapi|swagger)"\s*:/.test(head) || /^(openapi|swagger)\s*:/m.test(head)) return 'openapi';
  return /\.(md|markdown)$/i.test(name) ? 'markdown' : 'text';
}
