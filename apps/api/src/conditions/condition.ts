/**
 * Expressions of rules in CEL over the facts of a request (docs/reference/conditions.md): conditions, and sums of limits.
 * Pure functions. They depend on `request-reading` only.
 */
import { CONDITION_MAX, LIMIT_COUNT_MAX } from '#contracts/limits';
import { checkNode, type Reads } from './checks.js';
import type { ConditionFacts } from './facts.js';
import { ConditionFault, parseExpression } from './language.js';
import { programOf, type Program } from './program.js';
import { OUT_OF_STEPS, Undecided, type Value } from './values.js';

/** An error, a missing field or a limit. It says why. */
export interface Undecidable {
  undecided: string;
}

export type ConditionResult = boolean | Undecidable;

export class Expression<Result> {
  constructor(
    private readonly program: Program,
    readonly reads: Readonly<Reads>,
    private readonly toResult: (value: Value) => Result | Undecidable,
  ) {}

  /**
   * Never throws, and takes at most as long as the steps that are left (`STEPS_MAX` in `values.ts`).
   * @param path the reading of the path below the base URL
   */
  evaluate(facts: ConditionFacts, path = ''): Result | Undecidable {
    const { steps } = facts;
    if (steps.areUsedUp) return { undecided: OUT_OF_STEPS.why };
    const value = this.program({ facts, path, steps, item: null });
    // `||` may have absorbed it.
    if (steps.areUsedUp) return { undecided: OUT_OF_STEPS.why };
    return value instanceof Undecided ? { undecided: value.why } : this.toResult(value);
  }
}

/** True or false. */
export type Condition = Expression<boolean>;
/** What a request adds to a limit: a decimal, exact, and not below 0. */
export type Sum = Expression<string>;

export type Compiled<Of> = { ok: true; expression: Of } | { ok: false; fault: string };
export type CompiledCondition = Compiled<Condition>;
export type CompiledSum = Compiled<Sum>;

const toBoolean = (value: Value): ConditionResult =>
  typeof value === 'boolean' ? value : { undecided: 'it is neither true nor false' };

/** Of a double, the shortest decimal that is read as the same double: 0.1 is exactly 0.1. */
function toAmount(value: Value): string | Undecidable {
  if (typeof value !== 'bigint' && typeof value !== 'number') return { undecided: 'it is no number' };
  if (Number.isNaN(value)) return { undecided: 'it is no number' };
  if (value < 0) return { undecided: 'it is negative' };
  return value > LIMIT_COUNT_MAX ? { undecided: 'it is larger than any limit' } : String(value);
}

/** @returns the condition, or the fault as `when: line L, column C: <what>` */
export const compileCondition = compiler<boolean>({
  field: 'when',
  types: { names: ['bool'], fault: 'it must be true or false' },
  toResult: toBoolean,
});

/** @returns the sum, or the fault as `limit.sum: line L, column C: <what>` */
export const compileSum = compiler<string>({
  field: 'limit.sum',
  types: { names: ['int', 'double'], fault: 'it must be a number' },
  toResult: toAmount,
});

interface Kind<Result> {
  field: string;
  /** The types of the result, besides one that only a request decides. */
  types: { names: readonly string[]; fault: string };
  toResult: (value: Value) => Result | Undecidable;
}

/** A service has at most 500 rules, and every change of the service makes new rule objects. */
const KEPT_MAX = 5000;

/** Keeps the expressions in use. */
function compiler<Result>(kind: Kind<Result>): (text: string) => Compiled<Expression<Result>> {
  const kept = new Map<string, Compiled<Expression<Result>>>();
  return (text) => {
    let compiled = kept.get(text);
    if (compiled === undefined) {
      compiled = compile(text, kind);
      if (text.length > CONDITION_MAX) return compiled;
      if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
      kept.set(text, compiled);
    }
    return compiled;
  };
}

function compile<Result>(text: string, { field, types, toResult }: Kind<Result>): Compiled<Expression<Result>> {
  const refused = (at: number, what: string): { ok: false; fault: string } => {
    const before = text.slice(0, at).split('\n');
    return { ok: false, fault: `${field}: line ${before.length}, column ${before.at(-1)!.length + 1}: ${what}` };
  };
  if (text.length > CONDITION_MAX) return refused(CONDITION_MAX, `it has more than ${CONDITION_MAX} characters`);
  try {
    const { node, typeOf } = parseExpression(text);
    const reads = checkNode(node);
    const type = typeOf();
    if (type !== 'dyn' && !types.names.includes(type)) return refused(0, `${types.fault}, and is ${type}`);
    return { ok: true, expression: new Expression(programOf(node), reads, toResult) };
  } catch (error) {
    if (error instanceof ConditionFault) return refused(error.at, error.message);
    throw error;
  }
}
