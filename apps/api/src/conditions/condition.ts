/**
 * Conditions of rules: expressions in CEL over the facts of a request (docs/reference/conditions.md). Pure functions.
 * They depend on `request-reading` only.
 */
import { CONDITION_MAX } from '#contracts/limits';
import { checkNode, type Reads } from './checks.js';
import type { ConditionFacts } from './facts.js';
import { ConditionFault, parseCondition } from './language.js';
import { programOf, type Program } from './program.js';
import { OUT_OF_STEPS, Undecided } from './values.js';

/** `undecided`: an error, a missing field or a limit. It says why. */
export type ConditionResult = boolean | { undecided: string };

export type CompiledCondition = { ok: true; condition: Condition } | { ok: false; fault: string };

export class Condition {
  constructor(
    private readonly program: Program,
    readonly reads: Readonly<Reads>,
  ) {}

  /**
   * Never throws, and takes at most as long as the steps that are left (`STEPS_MAX` in `values.ts`).
   * @param path the reading of the path below the base URL
   */
  evaluate(facts: ConditionFacts, path = ''): ConditionResult {
    const { steps } = facts;
    if (steps.areUsedUp) return { undecided: OUT_OF_STEPS.why };
    const value = this.program({ facts, path, steps, item: null });
    // `||` may have absorbed it.
    if (steps.areUsedUp) return { undecided: OUT_OF_STEPS.why };
    if (typeof value === 'boolean') return value;
    return { undecided: value instanceof Undecided ? value.why : 'it is neither true nor false' };
  }
}

/** Conditions in use. A service has at most 500 rules, and every change of the service makes new rule objects. */
const kept = new Map<string, CompiledCondition>();
const KEPT_MAX = 5000;

/** @returns the condition, or the fault as `when: line L, column C: <what>` */
export function compileCondition(text: string): CompiledCondition {
  let compiled = kept.get(text);
  if (compiled === undefined) {
    compiled = compile(text);
    if (text.length > CONDITION_MAX) return compiled;
    if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
    kept.set(text, compiled);
  }
  return compiled;
}

function compile(text: string): CompiledCondition {
  if (text.length > CONDITION_MAX) return refused(text, CONDITION_MAX, `it has more than ${CONDITION_MAX} characters`);
  try {
    const { node, assertTypes } = parseCondition(text);
    const reads = checkNode(node);
    assertTypes();
    return { ok: true, condition: new Condition(programOf(node), reads) };
  } catch (error) {
    if (error instanceof ConditionFault) return refused(text, error.at, error.message);
    throw error;
  }
}

function refused(text: string, at: number, what: string): CompiledCondition {
  const before = text.slice(0, at).split('\n');
  return { ok: false, fault: `when: line ${before.length}, column ${before.at(-1)!.length + 1}: ${what}` };
}
