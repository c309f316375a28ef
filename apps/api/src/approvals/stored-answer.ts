import type { ActionEntity } from '#database';
import type { Answer } from '../egress/answer.js';

/** The stored result of an executed action. */
export function storedAnswer(action: ActionEntity): Answer {
  return {
    fromUpstream: action.resultFromUpstream ?? true,
    status: action.resultStatus ?? 502,
    headers: action.resultHeaders ?? [],
    body: action.resultBody ?? Buffer.alloc(0),
  };
}
