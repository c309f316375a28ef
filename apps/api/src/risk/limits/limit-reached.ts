import { ApiError, errors } from '../../platform/errors.js';
import { limitInWords } from '../../rules/rule-words.js';
import { headersOf } from './limit-headers.js';
import type { LimitState } from './limit-to-count.js';

/** Thrown before anything is sent: a request does not fit into a limit. Nothing was counted. */
export class LimitReached extends ApiError {
  /** @param isExecution whether the request is an approved action, which stays approved */
  constructor(
    readonly reached: LimitState,
    isExecution = false,
  ) {
    const { rule, resetsInSeconds } = reached;
    const error = errors.limitReached(rule.name, resetsInSeconds, nextStep(reached, isExecution));
    super(error.statusCode, error.message, {
      ...error,
      headers: { ...error.headers, ...Object.fromEntries(headersOf(reached)) },
    });
  }
}

/** Why a limit holds a request. */
export const limitExplanation = ({ rule, limit }: LimitState): string =>
  `Limit reached: ${rule.name} (${limitInWords(limit)}), so a human must approve this request`;

function nextStep({ limit, resetsInSeconds }: LimitState, isExecution: boolean): string {
  const [what, again] = isExecution
    ? ['The action stays approved. ', 'execute it again then']
    : ['', 'send the request again then, with the same idempotency key'];
  return (
    `Nothing was sent. ${what}This limit allows ${limitInWords(limit)}, and its window ends in ${resetsInSeconds} seconds: ` +
    `${again}, or tell your user. Do not try another way.`
  );
}
