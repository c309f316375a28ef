import { failure } from '../../lib/http.js';

const FIELD = 'when: ';

/** What the gateway says about the condition of a rule: `line 1, column 14: …`. Null: it says something else. */
export function conditionProblem(error: unknown): string | null {
  const message = error ? failure(error).message : '';
  return message.startsWith(FIELD) ? message.slice(FIELD.length) : null;
}
