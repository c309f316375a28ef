import { bool, COMPREHENSIONS, NO_BOOL, type Comprehension, type State } from './comprehensions.js';
import { FUNCTIONS, METHODS } from './functions.js';
import type { ConditionFacts } from './facts.js';
import { hasKey, keysOf, MAY_BE_LIST, mayBeList } from './equality.js';
import { describeType, hasNoFields, inverted, itemAt, negated, OPERATORS } from './operators.js';
import type { Node } from './language.js';
import { Pattern } from './patterns.js';
import { Fields, isMap, OUT_OF_STEPS, Steps, TypeName, Undecided, type Value } from './values.js';

type Result = Value | Undecided;

/** One evaluation. */
export interface Run {
  facts: ConditionFacts;
  /** The reading of the path that this evaluation is about. */
  path: string;
  steps: Steps;
  /** The item that a comprehension is at. They don't nest, so there is one. */
  item: Result;
}

/** A part of a condition, ready to be evaluated. */
export type Program = (run: Run) => Result;

const NO_TEXT = new Undecided('matches() needs a text');

/** @param item the name that a comprehension gives its items; null outside of one */
export function programOf(node: Node, item: string | null = null): Program {
  const compiled = compile(node, item);
  return (run) => (run.steps.take(1) ? compiled(run) : OUT_OF_STEPS);
}

function compile(node: Node, item: string | null): Program {
  const of = (part: Node): Program => programOf(part, item);
  switch (node.op) {
    case 'value': {
      const value = node.args as Value;
      return () => value;
    }
    case 'id':
      return variable(node.args, item);
    case '.':
      return field(of(node.args[0]), node.args[1]);
    case '[]':
      return both(of(node.args[0]), of(node.args[1]), itemAt);
    case 'list':
      return collected(node.args.map(of), (items) => items);
    case 'map':
      return collected(node.args.flat().map(of), toMap);
    case '?:': {
      const [test, one, other] = node.args.map(of);
      return (run) => {
        const chosen = test(run);
        if (chosen === true) return one(run);
        return chosen === false ? other(run) : chosen instanceof Undecided ? chosen : NO_BOOL;
      };
    }
    case '||':
      return logical(of(node.args[0]), of(node.args[1]), true);
    case '&&':
      return logical(of(node.args[0]), of(node.args[1]), false);
    case '!_':
      return onOne(of(node.args), inverted);
    case '-_':
      return onOne(of(node.args), negated);
    case 'call':
      return call(node.args[0], node.args[1], of);
    case 'rcall': {
      const [name, receiver, args] = node.args;
      const comprehension = COMPREHENSIONS[name];
      if (comprehension) return range(of(receiver), comprehension, args);
      return (
        statedPattern(name, of(receiver), args) ??
        applied(METHODS[`${name}/${args.length}`], [receiver, ...args].map(of))
      );
    }
    default:
      return both(of((node.args as Node[])[0]), of((node.args as Node[])[1]), OPERATORS[node.op]!);
  }
}

/** A pattern that the condition states is read once. */
function statedPattern(name: string, text: Program, [node]: readonly Node[]): Program | null {
  if (name !== 'matches' || node.op !== 'value' || typeof node.args !== 'string') return null;
  const pattern = Pattern.of(node.args);
  if (typeof pattern === 'string') return null;
  return (run) => {
    const value = text(run);
    if (value instanceof Undecided) return value;
    return typeof value === 'string' ? pattern.matches(value, run.steps) : NO_TEXT;
  };
}

function variable(name: string, item: string | null): Program {
  if (name === item) return (run) => run.item;
  const type = TypeName.all.get(name);
  if (type !== undefined) return () => type;
  return (run) => run.facts.variable(name, run.path);
}

function field(object: Program, name: string): Program {
  return onOne(object, (value) => itemAt(value, name));
}

const onOne =
  (one: Program, apply: (value: Value) => Result): Program =>
  (run) => {
    const value = one(run);
    return value instanceof Undecided ? value : apply(value);
  };

const both =
  (one: Program, other: Program, apply: (one: Value, other: Value, steps: Steps) => Result): Program =>
  (run) => {
    const left = one(run);
    if (left instanceof Undecided) return left;
    const right = other(run);
    return right instanceof Undecided ? right : apply(left, right, run.steps);
  };

function collected(parts: readonly Program[], toValue: (items: Value[]) => Result): Program {
  return (run) => {
    const items: Value[] = [];
    for (const part of parts) {
      const value = part(run);
      if (value instanceof Undecided) return value;
      items.push(value);
    }
    return toValue(items);
  };
}

/** @param entries keys and values in turn */
function toMap(entries: readonly Value[]): Result {
  const map = new Map<Value, Value>();
  for (let at = 0; at < entries.length; at += 2) {
    if (map.has(entries[at])) return new Undecided('a map has a key twice');
    map.set(entries[at], entries[at + 1]);
  }
  return map;
}

/** @param decisive the value of one side that decides, whatever the other side is */
function logical(one: Program, other: Program, decisive: boolean): Program {
  return (run) => {
    const left = one(run);
    if (left === decisive) return left;
    const right = other(run);
    if (right === decisive) return right;
    const undecided = [left, right].find((value) => value instanceof Undecided);
    if (undecided !== undefined) return undecided;
    return left === !decisive && right === !decisive ? right : NO_BOOL;
  };
}

function call(name: string, args: readonly Node[], of: (part: Node) => Program): Program {
  if (name === 'has') {
    const [object, key] = args[0].args as [Node, string];
    return has(of(object), key);
  }
  return applied(FUNCTIONS[`${name}/${args.length}`], args.map(of));
}

function applied(
  run: ((args: readonly Value[], steps: Steps) => Result) | undefined,
  parts: readonly Program[],
): Program {
  // Conditions with other functions are refused (`language.ts`).
  if (run === undefined) return () => new Undecided('there is no such function');
  return (current) => {
    const args: Value[] = [];
    for (const part of parts) {
      const value = part(current);
      if (value instanceof Undecided) return value;
      args.push(value);
    }
    return run(args, current.steps);
  };
}

/** Where there is no body, it has no field. Where there is something else than an object, nobody knows. */
function has(object: Program, name: string): Program {
  return (run) => {
    const value = object(run);
    if (value === null || value instanceof Undecided) return value ?? false;
    if (value instanceof Fields) {
      const found = value.get(name);
      return found instanceof Undecided ? found : found !== null;
    }
    return isMap(value) ? hasKey(value, name, run.steps) : hasNoFields(value);
  };
}

function range(receiver: Program, { step, end }: Comprehension, args: readonly Node[]): Program {
  const name = args[0].args as string;
  const test = args.length === 3 ? programOf(args[1], name) : null;
  const body = programOf(args.at(-1)!, name);
  return (run) => {
    const over = receiver(run);
    if (over instanceof Undecided) return over;
    if (!Array.isArray(over) && !isMap(over)) return new Undecided(`${describeType(over)} has no items`);
    if (!Array.isArray(over) && mayBeList(over, run.steps) !== false) return MAY_BE_LIST;
    const items = Array.isArray(over) ? (over as readonly Value[]) : keysOf(over);
    const found: State = { undecided: null, count: 0, items: [] };
    for (const item of items) {
      if (!run.steps.take(1)) return OUT_OF_STEPS;
      run.item = item;
      const applies = test === null || bool(test(run));
      if (applies instanceof Undecided) return applies;
      const result = applies ? step(body(run), item, found) : undefined;
      if (result !== undefined) return result;
    }
    return end(found);
  };
}
