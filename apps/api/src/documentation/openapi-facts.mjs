// @ts-check
// What the gateway knows of an operation, besides its texts. Names come from the document, so they are bounded.
import { isObject } from './openapi-source.mjs';
import { storable } from './openapi-texts.mjs';

/**
 * @typedef {{ readOnlyHint?: boolean, destructiveHint?: boolean, idempotentHint?: boolean, openWorldHint?: boolean }} Annotations
 * @typedef {{ tags: string[], deprecated: boolean, queryParameters: string[], fields: string[], annotations?: Annotations }} Facts
 */

/** Most names of one list, and the length of each. A longer name is left out: a part of it is another name. */
const LIST_MAX = 60;
const NAME_MAX = 100;
/** Most characters of all facts of an operation, as JSON. */
const FACTS_MAX = 4_000;
/** Most schemas that are looked at for one operation: references can fan out. */
const SCHEMAS_MAX = 200;
const PARTS = ['allOf', 'oneOf', 'anyOf'];

/**
 * @param {import('./openapi-references.mjs').References} references
 * @param {Record<string, any>} item
 * @param {Record<string, any>} operation
 * @returns {Facts}
 */
export function operationFacts(references, item, operation) {
  const parameters = [operation.parameters, item.parameters]
    .flatMap((list) => (Array.isArray(list) ? list.slice(0, SCHEMAS_MAX) : []))
    .map((each) => references.resolve(each).value)
    .filter(isObject);
  const named = (/** @type {string} */ place) => parameters.filter((each) => each.in === place).map(({ name }) => name);
  const content = references.resolve(operation.requestBody).value?.content;
  const schemas = [
    ...(isObject(content) ? Object.values(content) : []),
    // Swagger 2.0.
    ...parameters.filter((each) => each.in === 'body'),
  ].map((each) => references.resolve(each).value?.schema);
  return bounded({
    tags: Array.isArray(operation.tags) ? operation.tags : [],
    deprecated: operation.deprecated === true,
    queryParameters: named('query'),
    fields: [...named('formData'), ...fieldNames(schemas, references)],
  });
}

/**
 * The names of an object's fields, also those of the schemas that it consists of.
 * @param {unknown[]} schemas
 * @param {import('./openapi-references.mjs').References} references
 * @returns {string[]}
 */
export function fieldNames(schemas, references) {
  const names = new Set();
  const seen = new Set();
  const left = schemas.slice(0, SCHEMAS_MAX);
  for (let steps = 0; left.length > 0 && steps < SCHEMAS_MAX; steps++) {
    const stated = left.shift();
    // References can lead in circles.
    if (!isObject(stated) || seen.has(stated)) continue;
    seen.add(stated);
    // What is found by its reference is seen, too. `resolve` makes a new object if something stands beside it.
    const { value: schema } = references.resolve(stated);
    if (!isObject(schema) || (schema !== stated && seen.has(schema))) continue;
    seen.add(schema);
    if (isObject(schema.properties)) {
      for (const [name, property] of Object.entries(schema.properties)) {
        // Only answers have it.
        if (!(isObject(property) && property.readOnly === true)) names.add(name);
        if (names.size === LIST_MAX) return [...names];
      }
    }
    for (const part of PARTS) if (Array.isArray(schema[part])) left.push(...schema[part].slice(0, SCHEMAS_MAX));
  }
  return [...names];
}

/**
 * Keeps what fits into the limits. A name that is left out counts as undocumented.
 * @param {Facts} facts
 * @returns {Facts}
 */
export function bounded(facts) {
  const kept = {
    ...facts,
    tags: usable(facts.tags),
    queryParameters: usable(facts.queryParameters),
    fields: usable(facts.fields),
  };
  for (;;) {
    if (JSON.stringify(kept).length <= FACTS_MAX) return kept;
    const lists = [kept.fields, kept.queryParameters, kept.tags];
    lists.sort((one, other) => other.length - one.length)[0].pop();
  }
}

/** @param {unknown[]} names @returns {string[]} */
function usable(names) {
  const texts = names.slice(0, SCHEMAS_MAX).filter((name) => typeof name === 'string');
  // PostgreSQL can't store NUL and unpaired surrogates. A name without them is another name.
  return [...new Set(texts)]
    .filter((name) => name !== '' && name.length <= NAME_MAX && storable(name, NAME_MAX) === name)
    .slice(0, LIST_MAX);
}
