import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ERROR_CODE_HEADER, ERROR_CODES, type ErrorBody, type ErrorCode } from '#contracts';
import type { ActionEntity } from '#database';
import { toStoredResponse, type Answer } from '../../egress/answer.js';
import { storedAnswer } from '../../approvals/stored-answer.js';
import { ApiError } from '../../platform/errors.js';
import type { ProxyOutcome } from '../../proxy/outcome.js';
import { NEXT, nextAfterCut, nextAfterError } from './next-step.js';
import { toolResult, type Handle } from './tool.js';

/** Headers that a model may need. Others would only fill its context. */
const SHOWN_HEADERS =
  /^(content-type|content-language|content-range|(x-upstream-)?(location|link)|retry-after|etag|last-modified|allow|deprecation|sunset|www-authenticate|x-total(-count)?|x-next-page|(x-)?rate-?limit.*)$/;

/** The result of a request or an execution. */
export function outcomeResult(outcome: ProxyOutcome, maxBodyChars: number, handle: Handle): CallToolResult {
  switch (outcome.kind) {
    case 'answered':
      return answerResult(outcome.via === 'forwarded' ? 'FORWARDED' : 'EXECUTED', outcome.answer, maxBodyChars, handle);
    case 'held':
      return actionResult(outcome.action, maxBodyChars, handle);
    case 'previewed':
    case 'streamed':
      throw new Error('no tool asks for a dry run or a stream');
  }
}

/** The upstream's answer, cut to the requested length; or the gateway's own 413, 502 or 504. */
function answerResult(
  status: 'FORWARDED' | 'EXECUTED',
  answer: Answer,
  maxBodyChars: number,
  handle: Handle,
): CallToolResult {
  if (!answer.fromUpstream) return errorResult(ownError(answer), handle);
  const whole = { ...answer, headers: [...answer.headers, ...(answer.own ?? [])] };
  const { status: code, headers, body, bodyEncoding } = toStoredResponse(whole);
  const cut = body.length > maxBodyChars;
  const shown = cut ? withoutHalfCharacter(body.slice(0, maxBodyChars)) : body;
  return toolResult({
    status,
    executed: true,
    response: {
      status: code,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => SHOWN_HEADERS.test(name))),
      body: shown,
      ...(bodyEncoding ? { bodyEncoding } : {}),
      ...(cut ? { bodyTruncated: true, bodyChars: body.length } : {}),
    },
    ...handle,
    ...(cut ? { next: nextAfterCut(shown.length, body.length, handle) } : {}),
  });
}

/** The current state of a held request. */
export function actionResult(action: ActionEntity, maxBodyChars: number, handle: Handle = {}): CallToolResult {
  const status = action.agentStatus;
  const named = { actionId: action.id, ...handle };
  if (status === 'EXECUTED') return answerResult('EXECUTED', storedAnswer(action), maxBodyChars, named);
  const expiresAt = { PENDING: action.expiresAt, APPROVED: action.approvalExpiresAt, DENIED: null, EXPIRED: null }[
    status
  ];
  return toolResult({
    status: status === 'PENDING' ? 'PENDING_APPROVAL' : status,
    executed: false,
    ...named,
    summary: action.summary,
    riskScore: action.riskScore,
    riskExplanation: action.riskExplanation,
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
    ...(action.resolutionNote === null || status === 'PENDING' ? {} : { note: action.resolutionNote }),
    next: formatNext(action, NEXT[status]),
  });
}

/** @param usual what to do in this state about a request that nobody changed */
function formatNext(
  { id, revises, revisedAs, method, targetUrl }: ActionEntity,
  usual: (id: string) => string,
): string {
  if (revisedAs !== null)
    return `A person changed your request: call get_action with ${revisedAs}. Do not send the original again.`;
  if (revises === null) return usual(id);
  return `A person changed your request. It is now ${method} ${targetUrl}; tell your user. ${usual(id)}`;
}

/**
 * Errors after which the outcome is unknown (null), or only the answer is lost (true). All other errors come before the
 * request is sent.
 */
const EXECUTED: Partial<Record<ErrorCode, true | null>> = {
  outcome_unknown: null,
  upstream_timeout: null,
  response_too_large: true,
};

/**
 * An error that the caller can act on. It is a result, because an error of the protocol would only end the model's
 * turn.
 */
export function errorResult({ message, statusCode, code, next: own }: ApiError, handle: Handle = {}): CallToolResult {
  const { [code]: executed = false } = EXECUTED;
  const next = nextAfterError(code, own);
  return toolResult({ status: 'ERROR', executed, error: message, statusCode, errorCode: code, ...handle, next }, true);
}

/** The error that was stored instead of an answer. Older versions stored no code. */
function ownError({ status, headers, body }: Answer): ApiError {
  const { error } = JSON.parse(body.toString()) as ErrorBody;
  const stored = headers.find(([name]) => name === ERROR_CODE_HEADER.toLowerCase())?.[1] ?? '';
  const known = Object.hasOwn(ERROR_CODES, stored);
  const code = known ? (stored as ErrorCode) : status === 413 ? 'response_too_large' : 'outcome_unknown';
  return new ApiError(status, error, { code });
}

const withoutHalfCharacter = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1));
