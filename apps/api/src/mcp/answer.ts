import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ActionEntity } from '#database';
import { effectiveStatus } from '../approvals/action-state.js';
import { storedAnswer, toStoredResponse, type Answer } from '../approvals/stored-response.js';
import type { ApiError } from '../platform/errors.js';
import { ForwardError } from '../proxy/forwarder.js';
import { NEXT, nextAfterCut, nextAfterFailure, nextAfterRefusal } from './next-step.js';
import { toolResult } from './tool.js';

/** What names a request when it is asked for again. */
export interface Handle {
  actionId?: string;
  idempotencyKey?: string;
}

/** Those that a model may have to act on; the others would only fill its context. */
const SHOWN_HEADERS =
  /^(content-type|content-language|content-range|location|link|retry-after|etag|last-modified|allow|deprecation|sunset|www-authenticate|x-total(-count)?|x-next-page|(x-)?rate-?limit.*)$/;

/** The upstream's answer, cut to what the caller was ready to read; or the gateway's own 413, 502, 504 in its place. */
export function answerResult(
  status: 'FORWARDED' | 'EXECUTED',
  answer: Answer,
  maxBodyChars: number,
  handle: Handle,
): CallToolResult {
  if (!answer.fromUpstream) return failureResult(answer.status, gatewayText(answer), handle);
  const { status: code, headers, body, bodyEncoding } = toStoredResponse(answer);
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

/** What became of a held request. */
export function actionResult(
  action: ActionEntity,
  nowMs: number,
  maxBodyChars: number,
  handle: Handle = {},
): CallToolResult {
  const status = effectiveStatus(action, nowMs);
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
    ...(action.resolutionNote === null ? {} : { note: action.resolutionNote }),
    next: NEXT[status](action.id),
  });
}

/** An error that the caller can act on: a result, where the protocol's own errors would only end the model's turn. */
export function errorResult(error: ApiError, handle: Handle = {}): CallToolResult {
  const { message, statusCode } = error;
  if (error instanceof ForwardError && error.sent) return failureResult(statusCode, message, handle);
  const next = nextAfterRefusal(error);
  return toolResult({ status: 'ERROR', executed: false, error: message, statusCode, ...handle, next }, true);
}

/** It left, and no usable answer came. */
function failureResult(statusCode: number, error: string, handle: Handle): CallToolResult {
  const next = nextAfterFailure(statusCode);
  return toolResult({ status: 'ERROR', executed: null, error, statusCode, ...handle, next }, true);
}

const gatewayText = ({ body }: Answer): string => (JSON.parse(body.toString()) as { error: string }).error;

const withoutHalfCharacter = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1));
