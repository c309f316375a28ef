// @ts-check
import { isObject } from './openapi-source.mjs';
import { storable } from './openapi-texts.mjs';

/** Most characters of one operation's excerpt for the risk model. */
const EXCERPT_MAX = 4_000;
const DESCRIPTION_MAX = 600;
const REFERENCE_DEPTH_MAX = 6;
const LIST_MAX = 40;
/** Fields that say nothing about the effect of an operation. */
const SKIPPED = new Set(['example', 'examples', 'externalDocs', 'xml', 'tags', 'callbacks', 'links', 'servers']);

/**
 * @typedef {object} Work
 * @property {import('./openapi-references.mjs').References} references
 * @property {number} left the budget
 * @property {(fault: string) => void} lose reports a reference that leads to nothing
 */

/**
 * The part of the document that describes an operation.
 * @param {import('./openapi-references.mjs').References} references
 * @param {string} name
 * @param {Record<string, any>} item
 * @param {Record<string, any>} operation
 * @param {(fault: string) => void} lose
 */
export function buildExcerpt(references, name, item, operation, lose) {
  /** @type {Work} */
  const work = { references, left: EXCERPT_MAX, lose };
  const { summary, description, deprecated, parameters, requestBody, responses, ...rest } = operation;
  const shared = Array.isArray(item.parameters) ? item.parameters : [];
  const own = Array.isArray(parameters) ? parameters : [];
  // The most important parts come first, because the end may be cut off.
  const relevant = {
    operation: name,
    summary: summary ?? item.summary,
    description: description ?? item.description,
    deprecated,
    parameters: shared.length + own.length > 0 ? [...own, ...shared] : undefined,
    requestBody,
    responses: responseTexts(work, responses),
    ...rest,
  };
  return storable(JSON.stringify(expand(work, relevant, [])), EXCERPT_MAX);
}

/**
 * The same of other parts of a document.
 * @param {import('./openapi-references.mjs').References} references
 * @param {object} relevant
 */
export function excerptOf(references, relevant) {
  return storable(
    JSON.stringify(expand({ references, left: EXCERPT_MAX, lose: () => undefined }, relevant, [])),
    EXCERPT_MAX,
  );
}

/**
 * Returns the descriptions of the responses. Their schemas are left out, to leave room for those of the request.
 * @param {Work} work
 * @param {unknown} responses
 */
function responseTexts({ references, lose }, responses) {
  if (!isObject(responses)) return undefined;
  const entries = Object.keys(responses).map((status) => {
    const { value, fault } = references.resolve(responses[status]);
    if (fault !== undefined) lose(fault);
    return [status, value?.description];
  });
  return Object.fromEntries(entries.filter(([, description]) => typeof description === 'string'));
}

/**
 * Copies a value with its references resolved, until the budget is used up.
 * @param {Work} work
 * @param {unknown} value
 * @param {string[]} chain the references that led here
 * @returns {unknown}
 */
function expand(work, value, chain) {
  if (work.left <= 0) return undefined;
  // Every step has a cost, because references can fan out without any text between them.
  work.left -= 2;
  if (typeof value === 'string') {
    const kept = value.length > DESCRIPTION_MAX ? `${value.slice(0, DESCRIPTION_MAX)}…` : value;
    work.left -= kept.length + 3;
    return kept;
  }
  if (Array.isArray(value)) {
    const entries = value.slice(0, LIST_MAX).map((entry) => expand(work, entry, chain));
    return entries.filter((entry) => entry !== undefined);
  }
  if (!isObject(value)) {
    work.left -= 5;
    return value;
  }
  if (typeof value.$ref === 'string') return expandReference(work, value.$ref, chain);
  /** @type {Record<string, unknown>} */
  const copy = Object.create(null);
  for (const key of Object.keys(value)) {
    if (work.left <= 0) break;
    if (value[key] === undefined || key.startsWith('x-') || SKIPPED.has(key)) continue;
    work.left -= key.length + 4;
    copy[key.slice(0, DESCRIPTION_MAX)] = expand(work, value[key], chain);
  }
  return copy;
}

/** @param {Work} work @param {string} reference @param {string[]} chain */
function expandReference(work, reference, chain) {
  const { value, fault } = work.references.lookUp(reference);
  if (fault !== undefined) work.lose(fault);
  if (fault !== undefined || chain.includes(reference) || chain.length >= REFERENCE_DEPTH_MAX) {
    work.left -= reference.length;
    return { $ref: reference.slice(0, DESCRIPTION_MAX) };
  }
  return expand(work, value, [...chain, reference]);
}
