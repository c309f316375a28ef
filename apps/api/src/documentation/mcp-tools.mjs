// @ts-check
// Reads the list of tools of an MCP server, as `tools/list` answers it. Its names and texts are the server's.
import { explainFault } from '../platform/http/json-fault.mjs';
import { excerptOf } from './openapi-excerpt.mjs';
import { bounded, fieldNames } from './openapi-facts.mjs';
import { References } from './openapi-references.mjs';
import { DocumentFault, isObject } from './openapi-source.mjs';
import { text, TEXT_MAX } from './openapi-texts.mjs';

const NAME_MAX = 128;
const DEPTH_MAX = 100;
const SUMMARY_MAX = 300;
const HINTS = /** @type {const} */ (['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);
/** Characters that nobody sees, or that change how others look: two names could look alike. */
const HIDDEN =
  // eslint-disable-next-line no-misleading-character-class -- joiners and selectors are meant as single characters
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0\u{E0100}-\u{E01EF}]/u;

/**
 * @param {string} content
 * @param {number} max
 * @returns {import('./openapi-operations.mjs').ReadDocument}
 */
export function readTools(content, max) {
  const root = parse(content.replace(/^\uFEFF/, ''));
  if (!isObject(root)) throw new DocumentFault('must be an object with "tools"');
  if (!Array.isArray(root.tools)) throw new DocumentFault('tools: must be a list');
  if (root.tools.length > max) throw new DocumentFault(`tools: must not have more than ${max} tools`);
  /** @type {Map<string, number>} */
  const places = new Map();
  const operations = root.tools.map((tool, at) => {
    const place = `tools[${at}]`;
    const operation = toOperation(tool, place);
    const earlier = places.get(operation.operationId);
    if (earlier !== undefined) throw new DocumentFault(`${place}.name: tools[${earlier}] has this name, too`);
    places.set(operation.operationId, at);
    return operation;
  });
  return { operations, ignored: [], ignoredCount: 0 };
}

/** @param {string} content @returns {unknown} */
function parse(content) {
  try {
    return JSON.parse(content);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new DocumentFault(`is not valid JSON: ${explainFault(content)}`);
  }
}

/** @param {unknown} tool @param {string} place */
function toOperation(tool, place) {
  if (!isObject(tool)) throw new DocumentFault(`${place}: must be an object`);
  refuseDeep(tool, place);
  const { name, description, inputSchema, annotations } = tool;
  checkName(name, `${place}.name`);
  if (description !== undefined && typeof description !== 'string') {
    throw new DocumentFault(`${place}.description: must be a text`);
  }
  if (inputSchema !== undefined && !isObject(inputSchema)) {
    throw new DocumentFault(`${place}.inputSchema: must be an object`);
  }
  const hints = readHints(annotations, `${place}.annotations`);
  // References of a schema are relative to it.
  const references = new References(inputSchema ?? {});
  return {
    method: 'POST',
    // No path of an OpenAPI document is empty.
    path: '',
    comparedPath: null,
    serverPath: '',
    operationId: name,
    summary: firstLine(description ?? ''),
    description: text(description, TEXT_MAX),
    excerpt: excerptOf(references, { tool: name, description, annotations: hints, inputSchema }),
    facts: bounded({
      tags: [],
      deprecated: false,
      queryParameters: [],
      fields: fieldNames([inputSchema], references),
      ...(hints && { annotations: hints }),
    }),
  };
}

/** @param {unknown} name @param {string} place @returns {asserts name is string} */
function checkName(name, place) {
  if (typeof name !== 'string' || name === '') throw new DocumentFault(`${place}: must be a text`);
  if (name.length > NAME_MAX) throw new DocumentFault(`${place}: must have at most ${NAME_MAX} characters`);
  if (HIDDEN.test(name)) throw new DocumentFault(`${place}: must not have control characters or hidden ones`);
  if (name !== name.trim()) throw new DocumentFault(`${place}: must not begin or end with a blank`);
}

/** @param {unknown} annotations @param {string} place */
function readHints(annotations, place) {
  if (annotations === undefined) return undefined;
  if (!isObject(annotations)) throw new DocumentFault(`${place}: must be an object`);
  /** @type {import('./openapi-facts.mjs').Annotations} */
  const hints = {};
  for (const hint of HINTS) {
    const value = annotations[hint];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') throw new DocumentFault(`${place}.${hint}: must be true or false`);
    hints[hint] = value;
  }
  return hints;
}

/** Walks without recursion: JSON can be nested deeper than the stack. @param {object} tool @param {string} place */
function refuseDeep(tool, place) {
  let level = [tool];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) throw new DocumentFault(`${place}: is nested more than ${DEPTH_MAX} levels deep`);
    const next = [];
    for (const node of level) {
      for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) next.push(value);
    }
    level = next;
  }
}

/** @param {string} description */
function firstLine(description) {
  const line = description
    .trim()
    .split(/[\r\n]/, 1)[0]
    .replace(/\s+/g, ' ')
    .trim();
  return text(line.length > SUMMARY_MAX ? `${line.slice(0, SUMMARY_MAX - 1)}…` : line, SUMMARY_MAX);
}
