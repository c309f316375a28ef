// @ts-check
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { explainFault } from '../platform/http/json-fault.mjs';

/**
 * Limits how often YAML aliases may be expanded, against documents that expand without end. A team may use one small
 * anchor in every operation. Nested anchors multiply, so a bomb exceeds the limit at once.
 */
const MAX_ALIAS_COUNT = 10_000;
/**
 * Faulty JSON up to this size is read as YAML, which allows extra commas and comments. For larger texts, that takes too
 * long.
 */
const LENIENT_MAX_CHARS = 1_000_000;

/**
 * Later versions are refused, because their operations could be shown incorrectly. YAML reads `3.0` as the number 3.
 */
const KNOWN_VERSION = /^(openapi 3(\.[012](\.\d+)?)?(-\S*)?|swagger 2(\.0)?)$/;

/**
 * An error in the document, reported to its sender. It does not quote the document, because that can contain
 * confidential text.
 */
export class DocumentFault extends Error {}

/**
 * Reads an OpenAPI or Swagger document in JSON or YAML. It only needs to be valid enough to extract its operations.
 * @param {string} content
 * @returns {Record<string, any>}
 */
export function readSource(content) {
  const text = content.replace(/^\uFEFF/, '');
  return /^\s*\{\s*["}]/.test(text) ? readJson(text) : checked(readYaml(text), text);
}

/** @param {string} text text that looks like JSON, but may be YAML @returns {Record<string, any>} */
function readJson(text) {
  let root;
  try {
    root = JSON.parse(text);
  } catch {
    return readLenient(text);
  }
  return checked(root, text);
}

/** @param {string} text text that is not JSON @returns {Record<string, any>} */
function readLenient(text) {
  if (text.length <= LENIENT_MAX_CHARS) {
    try {
      return checked(readYaml(text), text);
    } catch (error) {
      // Also if it is nested too deeply for the YAML parser: the author wrote JSON, so the error should be about JSON.
      if (!(error instanceof DocumentFault || error instanceof RangeError)) throw error;
    }
  }
  throw new DocumentFault(`is not valid JSON: ${explainFault(text)}`);
}

/** @param {unknown} root @param {string} text @returns {Record<string, any>} */
function checked(root, text) {
  if (!isObject(root)) throw new DocumentFault('must be an OpenAPI document: an object');
  const key = root.openapi === undefined ? 'swagger' : 'openapi';
  const version = root[key];
  if (typeof version !== 'string' && typeof version !== 'number') {
    throw new DocumentFault('must have a version at "openapi" (or "swagger")');
  }
  if (!KNOWN_VERSION.test(`${key} ${version}`)) {
    throw new DocumentFault(
      `has an unknown version at "${key}"${formatPlace(text, key)}: known are OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0`,
    );
  }
  // From 3.1 on, a document may describe only webhooks or components.
  if (root.paths === undefined && (isObject(root.webhooks) || isObject(root.components))) return { ...root, paths: {} };
  if (!isObject(root.paths)) throw new DocumentFault('must have an object at "paths"');
  return root;
}

/** Where the value of a key of the document is. Large texts would take too long. @param {string} text @param {string} key */
function formatPlace(text, key) {
  if (text.length > LENIENT_MAX_CHARS) return '';
  const lines = new LineCounter();
  try {
    // JSON is YAML, too.
    const node = parseDocument(text, { lineCounter: lines, logLevel: 'silent' }).get(key, true);
    if (!isScalar(node) || !node.range) return '';
    const { line, col } = lines.linePos(node.range[0]);
    return ` in line ${line}, column ${col}`;
  } catch {
    // It is nested too deeply.
    return '';
  }
}

/** @param {string} content */
function readYaml(content) {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: 'silent' });
  const [fault] = document.errors;
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new DocumentFault(`is not valid JSON or YAML: ${words(fault.code)} at line ${line}, column ${col}`);
  }
  if (!isMap(document.contents)) throw new DocumentFault('must be an OpenAPI document: an object, at line 1, column 1');
  try {
    return document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
  } catch (error) {
    if (error instanceof ReferenceError)
      throw new DocumentFault('is not valid YAML: an alias is undefined, or expands too much');
    throw error;
  }
}

/** @param {string} code like `UNEXPECTED_TOKEN`; used because the parser's message can quote the document */
const words = (code) => code.toLowerCase().replaceAll('_', ' ');

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
