import type { ActionSummary } from '#contracts';
import { failure } from '../../lib/http.js';

/** A browser opens about six connections to one host. More requests would only wait. */
const AT_ONCE = 5;

interface BatchResult {
  /** The actions in the gateway's responses. */
  done: ActionSummary[];
  /** The number of actions that the gateway refused because their state had changed. */
  lost: number;
  /** Actions whose request failed for another reason. They can be tried again. */
  failed: ActionSummary[];
  /** The last failure. */
  problem: unknown;
}

/** Sends one request per action, a few at a time. A failure does not stop the others. */
export async function forEachAction(
  actions: readonly ActionSummary[],
  send: (action: ActionSummary) => Promise<ActionSummary>,
): Promise<BatchResult> {
  const waiting = [...actions];
  const result: BatchResult = { done: [], lost: 0, failed: [], problem: null };
  const worker = async () => {
    for (let action = waiting.shift(); action; action = waiting.shift()) {
      try {
        result.done.push(await send(action));
      } catch (error) {
        if (failure(error).status === 409) result.lost += 1;
        else {
          result.failed.push(action);
          result.problem = error;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return result;
}
