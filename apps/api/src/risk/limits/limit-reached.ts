import { ApiError, errors } from '../../platform/errors.js';
import { limitInWords } from '../../rules/rule-words.js';
import { headersOf } from './limit-headers.js';
import { exceeds, type LimitState } from './limit-to-count.js';

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
export const limitExplanation = ({ rule, limit, amount }: LimitState): string =>
  `Limit reached: ${rule.name} (${limitInWords(limit)}${amount === null ? '; what this request adds is not known' : ''}), ` +
  'so a human must approve this request';

function nextStep(reached: LimitState, isExecution: boolean): string {
  const { limit, amount, resetsInSeconds } = reached;
  const [what, again] = isExecution
    ? ['The action stays approved. ', 'execute it again then']
    : ['', 'send the request again then, with the same idempotency key'];
  const allowed = `Nothing was sent. ${what}This limit allows ${limitInWords(limit)}`;
  if (!exceeds(reached)) {
    return `${allowed}, and its window ends in ${resetsInSeconds} seconds: ${again}, or tell your user. ${NO_OTHER_WAY}`;
  }
  const why = amount === null ? 'what this request adds can not be read' : 'this request alone is more than that';
  return `${allowed}, and ${why}, so it never passes: tell your user. ${NO_OTHER_WAY}`;
}

const NO_OTHER_WAY = 'Do not try another way.';
