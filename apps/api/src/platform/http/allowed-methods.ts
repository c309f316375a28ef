import type { Request } from 'express';

/** The parts of Express's router that say which methods a path has. It has no public way to ask. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** What `dashboard` and `openApi` serve beside the routes. */
const READ_ONLY = /^\/($|dashboard($|\/)|docs($|\/)|openapi\.(json|yaml)$)/i;
/** It has routes for GET and DELETE only to say why there is nothing. */
const POST_ONLY = /^\/mcp\/?$/i;

/**
 * The methods that have a route at the path of a request, for a request whose own method has none. Empty: the path does
 * not exist (docs/reference/http.md#methods).
 */
export function allowedMethods({ app, path, method }: Request): string[] {
  const reads = ['GET', 'HEAD'];
  if (READ_ONLY.test(path)) return reads.includes(method) ? [] : reads;
  if (POST_ONLY.test(path)) return ['POST'];
  const { stack } = app.router as unknown as { stack: Layer[] };
  const methods = stack
    .filter((layer) => layer.route !== undefined && layer.match(path))
    .flatMap((layer) => Object.keys(layer.route!.methods).map((name) => name.toUpperCase()));
  // Express answers HEAD with the route of GET.
  return [...new Set(methods.flatMap((name) => (name === 'GET' ? reads : [name])))].sort();
}
