import type { DocumentType } from '#contracts/states';

/** The type of a document. The content decides before the file name, because a `.txt` file may contain OpenAPI. */
export function guessDocument(name: string, content: string): DocumentType {
  const head = content.slice(0, 20_000);
  if (/^\s*\{[^]*"(openapi|swagger)"\s*:/.test(head) || /^(openapi|swagger)\s*:/m.test(head)) return 'openapi';
  if (/^\s*\{\s*"tools"\s*:\s*\[/.test(head)) return 'mcp';
  return /\.(md|markdown)$/i.test(name) ? 'markdown' : 'text';
}
