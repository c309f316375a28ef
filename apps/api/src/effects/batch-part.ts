import type { HttpMethod } from '#contracts';
import { HTTP_METHODS } from '#contracts/states';
import type { JsonValue } from '../request-reading/request-content.js';

/** One request in another one. */
export interface BatchPart {
  methods: readonly HttpMethod[];
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: JsonValue;
  /** Whether servers may run another one: it has several methods, paths or bodies. */
  isUnsure: boolean;
}

const METHOD =
  /^(?:get|post|put|patch|delete|head|options|merge|purge|move|copy|link|unlink|mkcol|propfind|proppatch|lock|unlock)$/i;

/** The method that a text names. None: it names something else. */
export function methodsIn(text: string): HttpMethod[] {
  const name = text.trim().toUpperCase();
  if (!METHOD.test(name)) return [];
  // OData's old name for it.
  if (name === 'MERGE') return ['PATCH'];
  // Another method may destroy anything.
  return [HTTP_METHODS.find((each) => each === name) ?? 'DELETE'];
}

/** The methods that the override headers of a part name. */
export const overridesIn = (headers: readonly (readonly [string, string])[]): HttpMethod[] =>
  headers.flatMap(([name, value]) => (OVERRIDE.test(name) ? methodsIn(value) : []));
const OVERRIDE = /^\s*x[-_]?(?:http[-_]?)?method(?:[-_]?override)?\s*$/i;
