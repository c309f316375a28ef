import { failure } from '../../lib/http.js';

/** The fields of a rule that are expressions in CEL. */
type ExpressionField = 'when' | 'limit.sum';

/** What the gateway says about an expression of a rule: `line 1, column 14: …`. Null: it says something else. */
export function expressionProblem(error: unknown, field: ExpressionField): string | null {
  const message = error ? failure(error).message : '';
  // It lists all faults, one after the other.
  const [, problem] = new RegExp(`(?:^|; )${field}: (line .*?)(?:; [a-z][\\w.]*: |$)`, 'is').exec(message) ?? [];
  return problem ?? null;
}
