// @ts-check
import { buildExcerpt } from './openapi-excerpt.mjs';
import { operationFacts } from './openapi-facts.mjs';
import { Ignored } from './openapi-ignored.mjs';
import { comparedPath } from './openapi-paths.mjs';
import { References } from './openapi-references.mjs';
import { DocumentFault, isObject } from './openapi-source.mjs';
import { storable, firstSentence, text, TEXT_MAX } from './openapi-texts.mjs';

/**
 * @typedef {{ method: string, path: string, comparedPath: string | null, serverPath: string, operationId: string | null,
 *   summary: string | null, description: string | null, excerpt: string, facts: import('./openapi-facts.mjs').Facts }} Operation
 * @typedef {{ operations: Operation[], ignored: import('./openapi-ignored.mjs').IgnoredPart[], ignoredCount: number }} ReadDocument
 */

const METHODS = ['get', 'post', 'put', 'delete', 'patch', 'head', 'options'];
/** The fields of a path item that are no operations. */
const ITEM_FIELDS = new Set(['$ref', 'summary', 'description', 'servers', 'parameters']);
/** Fields of a document with calls that the API makes. */
const WEBHOOKS = ['webhooks', 'x-webhooks'];

const CALLED_BY_API = 'describes calls that the API makes, not calls to the API';

/**
 * Splits a document into its operations, each with the part of the document that describes it.
 * @param {Record<string, any>} root
 * @param {number} max
 * @returns {ReadDocument}
 */
export function takeApart(root, max) {
  return new Disassembly(root, max).run();
}

class Disassembly {
  ignored = new Ignored();
  /** @type {Operation[]} */
  operations = [];

  /** @param {Record<string, any>} root @param {number} max */
  constructor(root, max) {
    this.root = root;
    this.max = max;
    this.references = new References(root);
  }

  run() {
    for (const path of Object.keys(this.root.paths)) this.#path(path, ['paths', path]);
    for (const field of WEBHOOKS) {
      const webhooks = this.root[field];
      if (isObject(webhooks)) for (const name of Object.keys(webhooks)) this.ignored.add([field, name], CALLED_BY_API);
    }
    this.#servers(this.root.servers, ['servers']);
    const { operations, ignored } = this;
    return { operations, ignored: ignored.parts, ignoredCount: ignored.count };
  }

  /** @param {string} path @param {string[]} place */
  #path(path, place) {
    const { value: item, fault } = this.references.resolve(this.root.paths[path]);
    if (!path.startsWith('/')) {
      // OpenAPI does not describe extensions.
      if (!path.startsWith('x-')) this.ignored.add(place, 'is not a path, because it does not begin with "/"');
      return;
    }
    if (path.length > TEXT_MAX) return this.ignored.add(place, `is longer than ${TEXT_MAX} characters`);
    if (fault !== undefined) this.ignored.add(place, `refers ${fault}`);
    if (!isObject(item)) {
      if (fault === undefined) this.ignored.add(place, 'is not an object');
      return;
    }
    this.#servers(item.servers, [...place, 'servers']);
    for (const [key, method] of this.#methods(item, place))
      this.#operation(path, method, item, item[key], [...place, key]);
  }

  /**
   * The operations of a path item: their keys and methods. Some documents write the methods in capitals.
   * @param {Record<string, any>} item
   * @param {string[]} place
   * @returns {[string, string][]}
   */
  #methods(item, place) {
    /** @type {Map<string, string>} */
    const keys = new Map();
    const isExact = (/** @type {string} */ key) => METHODS.includes(key);
    // The key in lower case is the right one.
    for (const key of Object.keys(item).sort((one, other) => Number(isExact(other)) - Number(isExact(one)))) {
      const method = key.toLowerCase();
      if (!isExact(method)) this.#noMethod(item[key], [...place, key]);
      else if (keys.has(method)) this.ignored.add([...place, key], 'is there twice, in other letters');
      else keys.set(method, key);
    }
    return [...keys]
      .sort(([one], [other]) => METHODS.indexOf(one) - METHODS.indexOf(other))
      .map(([method, key]) => [key, method]);
  }

  /** @param {unknown} value @param {string[]} place */
  #noMethod(value, place) {
    const key = /** @type {string} */ (place.at(-1));
    if (ITEM_FIELDS.has(key)) return;
    if (key === 'additionalOperations' && isObject(value)) {
      for (const method of Object.keys(value)) this.#noMethod(value[method], [...place, method]);
      return;
    }
    const isOperation = !key.startsWith('x-') || (isObject(value) && isObject(value.responses));
    if (isOperation) this.ignored.add(place, 'is not a method that agents can use');
  }

  /**
   * @param {string} path
   * @param {string} method
   * @param {Record<string, any>} item
   * @param {unknown} stated
   * @param {string[]} place
   */
  #operation(path, method, item, stated, place) {
    const { value: operation, fault } = this.references.resolve(stated);
    if (fault !== undefined) this.ignored.add(place, `refers ${fault}`);
    if (!isObject(operation)) {
      if (fault === undefined) this.ignored.add(place, 'is not an object');
      return;
    }
    if (this.operations.length === this.max) throw new DocumentFault(`must not have more than ${this.max} operations`);
    if (isObject(operation.callbacks)) {
      for (const name of Object.keys(operation.callbacks))
        this.ignored.add([...place, 'callbacks', name], CALLED_BY_API);
    }
    this.#servers(operation.servers, [...place, 'servers']);
    /** @type {Set<string>} */
    const lost = new Set();
    const name = `${method.toUpperCase()} ${path}`;
    const excerpt = buildExcerpt(this.references, name, item, operation, (fault) => lost.add(fault));
    for (const fault of lost) this.ignored.add(place, `has a reference ${fault}`);
    this.operations.push({
      method: method.toUpperCase(),
      path: storable(path, TEXT_MAX),
      comparedPath: this.#comparedPath(path, item, operation),
      serverPath: serverPath(this.root, operation.servers ?? item.servers ?? this.root.servers) ?? '',
      operationId: text(operation.operationId, TEXT_MAX),
      summary:
        text(operation.summary || item.summary, TEXT_MAX) ?? firstSentence(operation.description || item.description),
      description: text(operation.description ?? item.description, TEXT_MAX),
      excerpt,
      facts: operationFacts(this.references, item, operation),
    });
  }

  /** @param {string} path @param {Record<string, any>} item @param {Record<string, any>} operation */
  #comparedPath(path, item, operation) {
    const lists = [operation.parameters, item.parameters].filter(Array.isArray);
    const compared = comparedPath(
      path,
      lists.flat().map((each) => this.references.resolve(each).value),
    );
    return compared === null ? null : text(compared, TEXT_MAX);
  }

  /** Operations are below the first server: others matter if their path is a different one. @param {unknown} servers @param {string[]} place */
  #servers(servers, place) {
    if (!Array.isArray(servers)) return;
    const paths = servers.map((server) => serverPath(this.root, [server]));
    for (const [at, path] of paths.entries()) {
      if (path === null) this.ignored.add([...place, String(at)], 'is not a server with a URL');
      else if (path !== (paths[0] ?? path))
        this.ignored.add([...place, String(at)], 'has another path than the first server, and only that one is read');
    }
  }
}

/**
 * Returns the path of the first server, which precedes every path of the document. Null: it has no URL.
 * @param {Record<string, any>} root
 * @param {unknown} servers
 */
function serverPath(root, servers) {
  const [server] = Array.isArray(servers) ? servers : [];
  const variables = isObject(server?.variables) ? server.variables : {};
  const template = typeof server?.url === 'string' ? server.url : root.basePath;
  if (typeof template !== 'string') return null;
  const url = template.replace(/\{([^{}]*)\}/g, (_, name) => text(variables[name]?.default, TEXT_MAX) ?? name);
  // A relative URL is relative to the location of the document, but only its path is needed.
  try {
    return storable(new URL(url, 'http://document/').pathname.replace(/\/+$/, ''), TEXT_MAX);
  } catch {
    return null;
  }
}
