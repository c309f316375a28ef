// @ts-check
import { readTools } from './mcp-tools.mjs';
import { takeApart } from './openapi-operations.mjs';
import { DocumentFault, readSource } from './openapi-source.mjs';

/**
 * Reads a document with operations.
 * @param {{ type: 'openapi' | 'mcp', content: string, maxOperations: number }} document
 * @returns {import('./openapi-operations.mjs').ReadDocument | { fault: string }}
 */
export function readDocument({ type, content, maxOperations }) {
  try {
    return type === 'mcp' ? readTools(content, maxOperations) : takeApart(readSource(content), maxOperations);
  } catch (error) {
    if (error instanceof DocumentFault) return { fault: error.message };
    // The parsers are recursive. No real document is nested this deeply.
    if (error instanceof RangeError) return { fault: 'is nested too deeply' };
    throw error;
  }
}
