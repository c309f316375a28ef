// @ts-check
import { percentDecoded } from '../platform/percent-decoding.mjs';
import { isObject } from './openapi-source.mjs';

/** Longer chains of references are loops. */
const CHAIN_MAX = 50;

// Where a reference leads that leads to nothing.
const LOOP = 'to itself';
const NOWHERE = 'to a part that the document does not have';
const ELSEWHERE = 'to another document, which is not fetched';

/** Follows the references within a document. Other documents are not fetched. */
export class References {
  /** @type {Map<string, any> | undefined} */
  #anchors;

  /** @param {Record<string, any>} root */
  constructor(root) {
    this.root = root;
  }

  /**
   * Follows references, also through several, to the value. What stands beside a reference counts, and wins, as in the
   * path items of OpenAPI 3. If they lead to nothing, `fault` says where to, and the value is what stands beside them.
   * @param {any} value
   * @returns {{ value: any, fault?: string }}
   */
  resolve(value) {
    const beside = [];
    /** @type {string | undefined} */
    let fault;
    for (let steps = 0; typeof value?.$ref === 'string'; steps++) {
      const { $ref, ...others } = value;
      if (Object.keys(others).length > 0) beside.push(others);
      ({ value, fault } = steps === CHAIN_MAX ? { value: undefined, fault: LOOP } : this.lookUp($ref));
    }
    if (beside.length === 0) return { value, fault };
    // What stands nearer wins.
    return { value: Object.assign({}, isObject(value) ? value : {}, ...beside.toReversed()), fault };
  }

  /**
   * Looks up a JSON pointer or an anchor within the document.
   * @param {string} reference
   * @returns {{ value: any, fault?: string }}
   */
  lookUp(reference) {
    if (!reference.startsWith('#')) return { value: undefined, fault: ELSEWHERE };
    const value = reference.startsWith('#/') ? this.#pointed(reference) : this.#anchored(reference.slice(1));
    return value === undefined ? { value, fault: NOWHERE } : { value };
  }

  /** @param {string} reference */
  #pointed(reference) {
    /** @type {any} */
    let node = this.root;
    for (const part of reference.slice(2).split('/')) {
      // A fragment of a URL may be percent-encoded (RFC 6901, section 6).
      // Some documents use the plain key, which then has a percent sign itself.
      const key = [percentDecoded(part) ?? part, part]
        .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))
        .find((each) => typeof node === 'object' && node !== null && Object.hasOwn(node, each));
      if (key === undefined) return undefined;
      node = node[key];
    }
    return node;
  }

  /** The schema with this `$anchor` (OpenAPI 3.1). @param {string} name */
  #anchored(name) {
    this.#anchors ??= anchorsIn(this.root);
    return this.#anchors.get(percentDecoded(name) ?? name);
  }
}

/** Walks without recursion, and enters each object once: YAML aliases share objects. @param {object} root */
function anchorsIn(root) {
  /** @type {Map<string, any>} */
  const anchors = new Map();
  const seen = new Set([root]);
  for (const node of seen) {
    for (const [key, value] of Object.entries(node)) {
      if (key === '$anchor' && typeof value === 'string' && !anchors.has(value)) anchors.set(value, node);
      if (typeof value === 'object' && value !== null) seen.add(value);
    }
  }
  return anchors;
}
