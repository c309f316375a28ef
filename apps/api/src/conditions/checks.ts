import { EFFECTS } from '#contracts/effects';
import { FUNCTIONS, METHODS } from './functions.js';
import { ConditionFault, isVariable, type Node } from './language.js';
import { Pattern } from './patterns.js';
import { isComprehension } from './comprehensions.js';
import { isTimeZone, TIME_GETTERS } from './times.js';

/** What a condition needs to know of a request. The other facts are never computed for it. */
export interface Reads {
  body: boolean;
  path: boolean;
  /** Also `request.pathParams`, which the documented path gives. */
  operation: boolean;
  graphql: boolean;
  rpc: boolean;
  effects: boolean;
  firstTime: boolean;
}

/**
 * Checks what types can't say, such as a regular expression or the name of an effect, and finds what the condition
 * reads.
 * @throws ConditionFault
 */
export function checkNode(node: Node): Reads {
  const reads = {
    body: false,
    path: false,
    operation: false,
    graphql: false,
    rpc: false,
    effects: false,
    firstTime: false,
  };
  walk(node, null, reads);
  return reads;
}

const REQUEST_READS: Partial<Record<string, keyof Reads>> = {
  body: 'body',
  text: 'body',
  path: 'path',
  pathParams: 'operation',
};

/** @param item the name of the item of the comprehension that this part is in */
function walk(node: Node, item: string | null, reads: Reads): void {
  switch (node.op) {
    case 'value':
      checkLiteral(node.args, node);
      return;
    case 'id':
      if (node.args === 'request' && item !== 'request')
        throw new ConditionFault(node.start, 'name a field of request');
      if (Object.hasOwn(reads, node.args)) reads[node.args as keyof Reads] = true;
      return;
    case '.':
    case '[]': {
      const [object, key] = node.args;
      if (isRequest(object)) readRequest(node, key, reads);
      else walk(object, item, reads);
      if (typeof key === 'string') return;
      checkHeaderName(object, key);
      walk(key, item, reads);
      return;
    }
    case 'call':
      if (node.args[0] !== 'has') assertKnown(node.args[0], FUNCTIONS, node.args[1].length, node);
      for (const part of node.args[1]) walk(part, item, reads);
      return;
    case 'rcall':
      walkMethod(node.args, node, item, reads);
      return;
    case 'in':
      checkMembership(node.args[0], node.args[1]);
      break;
    default:
  }
  for (const part of partsOf(node.args)) walk(part, item, reads);
}

const partsOf = (args: unknown): Node[] => [args].flat(2) as unknown as Node[];

function walkMethod(
  [name, receiver, args]: [string, Node, Node[]],
  node: Node,
  item: string | null,
  reads: Reads,
): void {
  walk(receiver, item, reads);
  if (!isComprehension(name)) {
    assertKnown(name, METHODS, args.length, node);
    for (const part of args) walk(part, item, reads);
    if (name === 'matches') checkPattern(args[0]);
    else if (TIME_GETTERS.has(name) && args.length === 1) checkTimeZone(args[0]);
    return;
  }
  if (item !== null)
    throw new ConditionFault(node.start, `${name}() is inside another list function, and they must not nest`);
  const [variable, ...parts] = args;
  if (variable?.op !== 'id') throw new ConditionFault(node.start, `${name}() needs a name for each item first`);
  if (isVariable(variable.args)) throw new ConditionFault(variable.start, `the name ${variable.args} is taken`);
  for (const part of parts) walk(part, variable.args, reads);
}

const isRequest = (node: Node): boolean => node.op === 'id' && node.args === 'request';

function readRequest(node: Node, key: Node | string, reads: Reads): void {
  const name = typeof key === 'string' ? key : key.op === 'value' ? key.args : null;
  if (typeof name !== 'string') throw new ConditionFault(node.start, 'name the field of request as a text');
  const read = REQUEST_READS[name];
  if (read !== undefined) reads[read] = true;
}

function checkLiteral(value: unknown, node: Node): void {
  const isKnown = value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
  if (!isKnown) throw new ConditionFault(node.start, 'bytes and unsigned integers are not supported');
  if (typeof value === 'bigint' && value > 2n ** 63n) throw new ConditionFault(node.start, 'the integer is too large');
}

function assertKnown(name: string, known: object, count: number, node: Node): void {
  if (Object.hasOwn(known, `${name}/${count}`)) return;
  const takesOthers = Object.keys(known).some((key) => key.startsWith(`${name}/`));
  const what = takesOthers ? `${name}() takes another number of values` : `there is no function ${name}()`;
  throw new ConditionFault(node.start, what);
}

const textIn = (node: Node): string | null => (node.op === 'value' && typeof node.args === 'string' ? node.args : null);

function checkPattern(node: Node): void {
  const text = textIn(node);
  const read = text === null ? null : Pattern.of(text);
  if (typeof read === 'string') throw new ConditionFault(node.start, read);
}

function checkTimeZone(zone: Node): void {
  const name = textIn(zone);
  if (name !== null && !isTimeZone(name)) throw new ConditionFault(zone.start, 'there is no such time zone');
}

const isHeaders = (node: Node): boolean => node.op === '.' && isRequest(node.args[0]) && node.args[1] === 'headers';

function checkHeaderName(headers: Node, name: Node): void {
  const text = textIn(name);
  if (isHeaders(headers) && text !== null && text !== text.toLowerCase()) {
    throw new ConditionFault(name.start, 'names of headers are in lower case');
  }
}

function checkMembership(value: Node, container: Node): void {
  const text = textIn(value);
  checkHeaderName(container, value);
  const isEffects = container.op === 'id' && container.args === 'effects';
  if (isEffects && text !== null && !EFFECTS.some((effect) => effect === text)) {
    throw new ConditionFault(
      value.start,
      `there is no effect ${JSON.stringify(text)}: use one of ${EFFECTS.join(', ')}`,
    );
  }
}
