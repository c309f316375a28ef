import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { IDEMPOTENCY_KEY_MAX, IDEMPOTENCY_STATUS_HEADER, ProxyRequestBody } from '#contracts';
import { EgressRefusal, isValidHeaderName, isValidHeaderValue, parseTarget } from '#egress';
import { errors } from '../platform/errors.js';
import { faultsOf, validate } from '../platform/http/validation.js';
import { refusalError } from '../egress/egress-errors.js';
import { isRepeatable } from '../egress/repeatable.js';
import { refuseAgentKeys } from './agent-key-exposure.js';
import { abortWhenGone } from './client-gone.js';
import { preferredWait, prefersDryRun } from './prefer.js';
import type { ProxyCall, ProxyHttpRequest } from './proxy-call.js';
import { isWellFormed } from './well-formed.js';

/** For calls that don't wait: nobody listens to it. */
export const NEVER_GONE = new AbortController().signal;

/**
 * Whether the request is well formed. A guard and not a pipe, since it must come before idempotency, and Nest runs pipes
 * after interceptors.
 */
@Injectable()
export class ProxyRequestGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ProxyHttpRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const dryRun = prefersDryRun(request.headers.prefer);
    const waitSeconds = dryRun ? 0 : preferredWait(request.headers.prefer);
    const call = toProxyCall(request.body as object, headerKey(request.headers['idempotency-key']), {
      waitSeconds,
      dryRun,
      requestId: request.requestId,
      gone: waitSeconds > 0 ? abortWhenGone(response) : NEVER_GONE,
    });
    // On errors too: the first answer to a key and its replay are the same.
    if (call.idempotencyKey !== null) response.setHeader(IDEMPOTENCY_STATUS_HEADER, 'processed');
    request.proxyCall = call;
    return true;
  }
}

/** How a call is made, beside what it asks for. */
export type CallTerms = Pick<
  ProxyCall,
  'waitSeconds' | 'dryRun' | 'requestId' | 'gone' | 'onHeld' | 'serviceId' | 'unstatedIntent'
>;

/** @param key takes precedence over the body's field @throws ApiError 400 unless the body is well formed, with all faults */
export function toProxyCall(given: object, key: string | null, terms: CallTerms): ProxyCall {
  try {
    return toCall(given, key, terms);
  } catch (error) {
    const faults = allFaults(given);
    throw faults.length > 1 ? errors.invalid(faults.join('; ')) : error;
  }
}

/** Of each part that has the right type, whatever is wrong with the others. */
function allFaults(given: object): string[] {
  const { targetUrl, headers } = given as Partial<Record<keyof ProxyRequestBody, unknown>>;
  const faults = faultsOf(() => void validate(ProxyRequestBody, given));
  const isFaulty = (field: string): boolean => faults.some((text) => new RegExp(`(^|; )${field}\\b`).test(text));
  if (!isFaulty('targetUrl')) faults.push(...faultsOf(() => assertTarget({ targetUrl: targetUrl as string })));
  if (!isFaulty('headers')) faults.push(...faultsOf(() => assertHeaders((headers ?? {}) as Record<string, string>)));
  return faults;
}

function toCall(given: object, key: string | null, terms: CallTerms): ProxyCall {
  const dto = isWellFormed(given) ? given : validate(ProxyRequestBody, given);
  const call: ProxyCall = {
    method: dto.method,
    targetUrl: dto.targetUrl,
    headers: { ...dto.headers },
    body: dto.body ?? null,
    intent: dto.intent,
    // A dry run claims none.
    idempotencyKey: terms.dryRun ? null : (key ?? dto.idempotencyKey ?? null),
    service: null,
    review: null,
    claim: null,
    ...terms,
  };
  assertTarget(call);
  refuseAgentKeys(call);
  assertHeaders(call.headers);
  settleBody(call);
  if (call.idempotencyKey === null && !call.dryRun && !isRepeatable(call.method)) throw errors.idempotencyKeyRequired();
  return call;
}

/** The header takes precedence over the body field (docs/reference/idempotency.md#keys). @throws ApiError 400 */
export function headerKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const key = [header].flat().join(', ');
  if (key.length < 1 || key.length > IDEMPOTENCY_KEY_MAX) {
    throw errors.invalid(`Idempotency-Key: must have 1 to ${IDEMPOTENCY_KEY_MAX} characters`);
  }
  return key;
}

function assertTarget({ targetUrl }: Pick<ProxyCall, 'targetUrl'>): void {
  try {
    parseTarget(targetUrl);
  } catch (error) {
    throw error instanceof EgressRefusal ? refusalError(error) : error;
  }
}

function assertHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!isValidHeaderName(name))
      throw errors.invalid(`headers: ${JSON.stringify(name.slice(0, 64))} is not a valid header name`);
    if (!isValidHeaderValue(value))
      throw errors.invalid(`headers.${name}: must not contain line breaks or control characters`);
  }
}

/**
 * An empty body is none. A body on GET or HEAD is refused; one without a content type is sent as what it looks like
 * (docs/reference/agent-api.md#request-body).
 */
function settleBody(call: ProxyCall): void {
  if (call.method === 'GET' || call.method === 'HEAD') {
    if (call.body) throw errors.bodyNotAllowed(call.method);
    call.body = null;
  }
  // The two are the same on the wire, and so are one request for a key and for a denial.
  if (call.body === '') call.body = null;
  if (call.body === null || Object.keys(call.headers).some((name) => name.toLowerCase() === 'content-type')) return;
  call.headers['Content-Type'] = isJsonContainer(call.body) ? 'application/json' : 'text/plain; charset=utf-8';
}

function isJsonContainer(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
