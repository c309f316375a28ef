import type { Document } from 'yaml';
import type { DecidedCase } from './decided-case.js';
import type { Expected } from './policy-case.js';

/**
 * Writes into a case what was decided about it. A rule and effects are written only where the case compares them, and a
 * rule also where the case expected nothing yet.
 * @param index of the case in the document
 */
export function withDecision(document: Document, index: number, expected: Expected | null, got: DecidedCase): void {
  if (expected === null) {
    const isNamed = got.rule !== null;
    document.setIn(
      [index, 'expect'],
      document.createNode({ decision: got.decision, ...(isNamed && { rule: got.rule }) }, { flow: true }),
    );
    return;
  }
  document.setIn([index, 'expect', 'decision'], got.decision);
  if (expected.rule !== undefined) document.setIn([index, 'expect', 'rule'], got.rule);
  if (expected.effects !== undefined) {
    document.setIn([index, 'expect', 'effects'], document.createNode(got.effects, { flow: true }));
  }
}
