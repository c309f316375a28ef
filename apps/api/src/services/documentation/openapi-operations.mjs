// @ts-check
import { DocumentFault, isObject } from './openapi-source.mjs';

/**
 * @typedef {{ method: string, path: string, serverPath: string, operationId: string | null, summary: string | null,
 *   description: string | null, excerpt: string }} Operation
 */

const METHODS = ['get', 'post', 'put', 'delete', 'patch', 'head', 'options'];
/** Most characters of one operation's excerpt for the risk model. */
const EXCERPT_MAX = 4_000;
const TEXT_MAX = 2_000;
const DESCRIPTION_MAX = 600;
const SENTENCE_MAX = 120;
const REFERENCE_DEPTH_MAX = 6;
const LIST_MAX = 40;
/** Fields that say nothing about the effect of an operation. */
const SKIPPED = new Set(['example', 'examples', 'externalDocs', 'xml', 'tags', 'callbacks', 'links', 'servers']);

/**
 * Splits a document into its operations, each with the part of the document that describes it.
 * @param {Record<string, any>} root
 * @param {number} max
 * @returns {Operation[]}
 */
export function takeApart(root, max) {
  /** @type {Operation[]} */
  const operations = [];
  for (const path of Object.keys(root.paths)) {
    const item = resolve(root, root.paths[path]);
    if (!path.startsWith('/') || !isObject(item)) continue;
    for (const method of METHODS) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      if (operations.length === max) throw new DocumentFault(`must not have more than ${max} operations`);
      operations.push({
        method: method.toUpperCase(),
        path: clean(path, TEXT_MAX),
        serverPath: serverPath(root, operation.servers ?? item.servers ?? root.servers),
        operationId: text(operation.operationId, TEXT_MAX),
        summary:
          text(operation.summary || item.summary, TEXT_MAX) ?? firstSentence(operation.description || item.description),
        description: text(operation.description ?? item.description, TEXT_MAX),
        excerpt: excerpt(root, method, path, item, operation),
      });
    }
  }
  return operations;
}

/**
 * Returns the path of the first server, which precedes every path of the document.
 * @param {Record<string, any>} root
 * @param {unknown} servers
 */
function serverPath(root, servers) {
  const [server] = Array.isArray(servers) ? servers : [];
  const variables = isObject(server?.variables) ? server.variables : {};
  const template = typeof server?.url === 'string' ? server.url : root.basePath;
  if (typeof template !== 'string') return '';
  const url = template.replace(/\{([^{}]*)\}/g, (_, name) => text(variables[name]?.default, TEXT_MAX) ?? name);
  // A relative URL is relative to the location of the document, but only its path is needed.
  const path = URL.canParse(url, 'http://document/') ? new URL(url, 'http://document/').pathname : '';
  return clean(path.replace(/\/+$/, ''), TEXT_MAX);
}

/**
 * @param {Record<string, any>} root
 * @param {string} method
 * @param {string} path
 * @param {Record<string, any>} item
 * @param {Record<string, any>} operation
 */
function excerpt(root, method, path, item, operation) {
  const { summary, description, deprecated, parameters, requestBody, responses, ...rest } = operation;
  const shared = Array.isArray(item.parameters) ? item.parameters : [];
  const own = Array.isArray(parameters) ? parameters : [];
  // The most important parts come first, because the end may be cut off.
  const relevant = {
    operation: `${method.toUpperCase()} ${path}`,
    summary: summary ?? item.summary,
    description: description ?? item.description,
    deprecated,
    parameters: shared.length + own.length > 0 ? [...own, ...shared] : undefined,
    requestBody,
    responses: responseTexts(root, responses),
    ...rest,
  };
  const budget = { left: EXCERPT_MAX };
  return clean(JSON.stringify(expand(root, relevant, [], budget)), EXCERPT_MAX);
}

/**
 * Returns the descriptions of the responses. Their schemas are left out, to leave room for those of the request.
 * @param {Record<string, any>} root
 * @param {unknown} responses
 */
function responseTexts(root, responses) {
  if (!isObject(responses)) return undefined;
  const entries = Object.keys(responses).map((status) => [status, resolve(root, responses[status])?.description]);
  return Object.fromEntries(entries.filter(([, description]) => typeof description === 'string'));
}

/**
 * Copies a value with its references resolved, until the budget is used up.
 * @param {Record<string, any>} root
 * @param {unknown} value
 * @param {string[]} chain the references that led here
 * @param {{ left: number }} budget
 * @returns {unknown}
 */
function expand(root, value, chain, budget) {
  if (budget.left <= 0) return undefined;
  // Every step has a cost, because references can fan out without any text between them.
  budget.left -= 2;
  if (typeof value === 'string') {
    const kept = value.length > DESCRIPTION_MAX ? `${value.slice(0, DESCRIPTION_MAX)}…` : value;
    budget.left -= kept.length + 3;
    return kept;
  }
  if (Array.isArray(value)) {
    const entries = value.slice(0, LIST_MAX).map((entry) => expand(root, entry, chain, budget));
    return entries.filter((entry) => entry !== undefined);
  }
  if (!isObject(value)) {
    budget.left -= 5;
    return value;
  }
  const reference = value.$ref;
  if (typeof reference === 'string') {
    const target = lookUp(root, reference);
    if (target === undefined || chain.includes(reference) || chain.length >= REFERENCE_DEPTH_MAX) {
      budget.left -= reference.length;
      return { $ref: reference.slice(0, DESCRIPTION_MAX) };
    }
    return expand(root, target, [...chain, reference], budget);
  }
  /** @type {Record<string, unknown>} */
  const copy = Object.create(null);
  for (const key of Object.keys(value)) {
    if (budget.left <= 0) break;
    if (value[key] === undefined || key.startsWith('x-') || SKIPPED.has(key)) continue;
    budget.left -= key.length + 4;
    copy[key.slice(0, DESCRIPTION_MAX)] = expand(root, value[key], chain, budget);
  }
  return copy;
}

/**
 * @param {Record<string, any>} root
 * @param {any} value
 */
function resolve(root, value) {
  return typeof value?.$ref === 'string' ? lookUp(root, value.$ref) : value;
}

/**
 * Resolves a JSON pointer within the document. Other documents are not fetched.
 * @param {Record<string, any>} root
 * @param {string} reference
 * @returns {any}
 */
function lookUp(root, reference) {
  if (!reference.startsWith('#/')) return undefined;
  /** @type {any} */
  let node = root;
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = node[key];
  }
  return node;
}

/**
 * @param {unknown} value
 * @param {number} max
 */
function text(value, max) {
  return typeof value === 'string' && value !== '' ? clean(value, max) : null;
}

/**
 * The summary of an operation whose author gave it none.
 * @param {unknown} description
 */
function firstSentence(description) {
  if (typeof description !== 'string') return null;
  const plain = description
    .slice(0, TEXT_MAX)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const [sentence] = plain.split(/(?<=[.!?])\s/, 1);
  return text(sentence.length > SENTENCE_MAX ? `${sentence.slice(0, SENTENCE_MAX - 1)}…` : sentence, TEXT_MAX);
}

/**
 * Makes a text that PostgreSQL can store: without NUL and unpaired surrogates.
 * @param {string} value
 * @param {number} max
 */
function clean(value, max) {
  return value.slice(0, max).replaceAll('\0', '').toWellFormed();
}
