// @ts-check
import { isMap, LineCounter, parseDocument } from 'yaml';

/** Aliases may expand to no more than this many nodes each: against documents that unfold without end. */
const MAX_ALIAS_COUNT = 100;
/** Faulty JSON up to this size is read as YAML, which either takes it or says at which line it fails. */
const LOCATE_MAX_CHARS = 1_000_000;

/** What a later version means is not known, so an operation of it might be shown as another. YAML reads `3.0` as the number 3. */
const KNOWN_VERSION = /^(openapi 3(\.[012](\.\d+)?)?(-\S*)?|swagger 2(\.0)?)$/;

/** A fault of the document, to be told to whoever sent it. It quotes nothing: a document may hold what is nobody's business. */
export class DocumentFault extends Error {}

/**
 * Reads an OpenAPI or Swagger document, JSON or YAML. Only what is needed to take its operations apart is required of it.
 * @param {string} content
 * @returns {Record<string, any>}
 */
export function readSource(content) {
  const root = /^\uFEFF?\s*\{/.test(content) ? readJson(content) : readYaml(content);
  if (!isObject(root)) throw new DocumentFault('must be an OpenAPI document: an object');
  const version = root.openapi ?? root.swagger;
  if (typeof version !== 'string' && typeof version !== 'number') {
    throw new DocumentFault('must have a version at "openapi" (or "swagger")');
  }
  if (!KNOWN_VERSION.test(`${root.openapi === undefined ? 'swagger' : 'openapi'} ${version}`)) {
    throw new DocumentFault('has an unknown version: known are OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0');
  }
  if (!isObject(root.paths)) throw new DocumentFault('must have an object at "paths"');
  return root;
}

/** @param {string} content */
function readJson(content) {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (content.length <= LOCATE_MAX_CHARS) return readYaml(content);
    throw new DocumentFault(`is not valid JSON${locate(content, error instanceof Error ? error.message : '')}`);
  }
}

/**
 * @param {string} content
 * @param {string} message of V8: with a position, or with a quote of the place, which is not passed on
 */
function locate(content, message) {
  const position = /at position (\d+)/.exec(message);
  if (!position) return '';
  const before = content.slice(0, Number(position[1]));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return `: syntax error at line ${line}, column ${column}`;
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
      throw new DocumentFault('is not valid YAML: an alias names nothing, or unfolds without end');
    throw error;
  }
}

/** @param {string} code such as `UNEXPECTED_TOKEN`; the parser's sentence may quote the document */
const words = (code) => code.toLowerCase().replaceAll('_', ' ');

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
