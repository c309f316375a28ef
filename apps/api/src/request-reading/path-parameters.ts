import { isParameter, pathSegments } from './path-template.js';

/**
 * The values of the parameters in a documented path: `{id: "42"}` for `/customers/{id}` and `/v1/customers/42`. The
 * template stands at the end of the path, because the path can begin with that of a server. Without parameters that stand
 * for a part of a segment, or for several.
 */
export function pathParameters(template: string, path: string): Record<string, string> {
  const values = Object.create(null) as Record<string, string>;
  const [own, given] = [pathSegments(template.split(/[?#]/, 1)[0]), pathSegments(path)];
  if (own.length > given.length || own.some((segment) => segment.endsWith('+}'))) return values;
  for (const [index, segment] of own.entries()) {
    if (isParameter(segment)) values[segment.slice(1, -1)] = given[given.length - own.length + index];
  }
  return values;
}
