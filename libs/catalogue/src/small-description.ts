import type { CatalogueEntry } from './schema.js';
import { DESCRIPTIONS } from './descriptions.js';

/**
 * An OpenAPI document with the operations of an API that agents often call, as the documentation of a new service. Null: the
 * catalogue has none. The gateway knows by the first key that a real document replaces it
 * (docs/reference/dashboard-api.md#stand-ins).
 */
export function smallDescription({ id, name }: Pick<CatalogueEntry, 'id' | 'name'>): Document | null {
  const operations = DESCRIPTIONS[id];
  if (operations === undefined) return null;
  const paths: Record<string, Record<string, { summary: string }>> = {};
  for (const [operation, summary] of Object.entries(operations)) {
    const [method, path] = operation.split(' ') as [string, string];
    (paths[path] ??= {})[method.toLowerCase()] = { summary };
  }
  const title = `Small description of ${name}`;
  const info = { title, version: '1', description: 'Some operations of the API. It has more.' };
  const root = { 'x-agent-gateway-stand-in': true, openapi: '3.1.0', info, paths };
  return { title, content: JSON.stringify(root) };
}

interface Document {
  title: string;
  content: string;
}
