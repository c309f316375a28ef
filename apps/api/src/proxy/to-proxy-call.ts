import { IDEMPOTENCY_KEY_MAX, REQUEST_HEADERS_MAX } from '#contracts/limits';
import { ProxyRequestBody } from '#contracts/proxy';
import type { HttpMethod } from '#contracts/states';
import { EgressRefusal, isValidHeaderName, isValidHeaderValue, parseTarget } from '#egress';
import { refusalError } from '../egress/egress-errors.js';
import { Payload } from '../egress/payload.js';
import type { DecodingLimits } from '../egress/request-coding.js';
import { isRepeatable } from '../egress/repeatable.js';
import { errors } from '../platform/errors.js';
import { collectFaults, isFaulty, validate } from '../platform/http/validation.js';
import { detectedType } from '../request-reading/detected-type.js';
import { refuseAgentKeys } from './agent-key-exposure.js';
import type { ProxyCall } from './proxy-call.js';
import { isWellFormed } from '../platform/fast-lane/well-formed.js';

/** The properties of a call that its door adds to the request itself. */
export type CallTerms = Pick<
  ProxyCall,
  | 'waitSeconds'
  | 'dryRun'
  | 'streaming'
  | 'requestId'
  | 'room'
  | 'gone'
  | 'onHeld'
  | 'serviceId'
  | 'unstatedIntent'
  | 'separate'
>;

interface BodyTerms extends DecodingLimits {
  /** The body as bytes, if the door received it directly and not in a field. */
  bytes?: Buffer | null;
}

/**
 * @param key takes precedence over the field of the body
 * @throws ApiError 400 that lists all faults of the body; 413, 415
 */
export async function toProxyCall(
  given: object,
  key: string | null,
  terms: CallTerms,
  body: BodyTerms,
): Promise<ProxyCall> {
  try {
    return await toCall(given, key, terms, body);
  } catch (error) {
    const faults = allFaults(given);
    throw faults.length > 1 ? errors.invalid(faults.join('; ')) : error;
  }
}

/** Checks each part that has the right type, even if other parts are wrong. */
function allFaults(given: object): string[] {
  const { targetUrl, headers } = given as Partial<Record<keyof ProxyRequestBody, unknown>>;
  const faults = collectFaults(() => void validate(ProxyRequestBody, given));
  if (!isFaulty(faults, 'targetUrl'))
    faults.push(...collectFaults(() => assertTarget({ targetUrl: targetUrl as string })));
  if (!isFaulty(faults, 'headers'))
    faults.push(...collectFaults(() => assertHeaders((headers ?? {}) as Record<string, string>)));
  return faults;
}

async function toCall(
  given: object,
  key: string | null,
  terms: CallTerms,
  { bytes = null, ...limits }: BodyTerms,
): Promise<ProxyCall> {
  const dto = isWellFormed(given) ? given : validate(ProxyRequestBody, given);
  const { method, targetUrl, intent } = dto;
  assertTarget({ targetUrl });
  const headers = { ...dto.headers };
  assertHeaders(headers);
  const content = settledBody(method, bytes ?? readCallBody(dto), headers);
  // The request lives as long as its answer, and the text would take more than the bytes.
  for (const read of [dto, given as ProxyRequestBody]) delete read.bodyBase64;
  const body = content === null ? null : await Payload.of(content, headers, limits);
  // A dry run claims no key.
  const idempotencyKey = terms.dryRun ? null : (key ?? dto.idempotencyKey ?? null);
  refuseAgentKeys({ targetUrl, body, intent, idempotencyKey });
  const needsKey = !terms.dryRun && !terms.separate && !isRepeatable(method);
  if (idempotencyKey === null && needsKey) throw errors.idempotencyKeyRequired();
  return { method, targetUrl, headers, body, intent, idempotencyKey, ...terms };
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
  const length = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > REQUEST_HEADERS_MAX)
    throw errors.invalid(`headers: must have at most ${REQUEST_HEADERS_MAX} characters`);
  if (Object.keys(headers).filter((name) => name.toLowerCase() === 'content-type').length > 1) {
    // Upstreams differ in which of two they read.
    throw errors.invalid('headers: Content-Type must occur once');
  }
  for (const [name, value] of Object.entries(headers)) {
    // CGI servers read `Content_Encoding` as `Content-Encoding`.
    if (/^content[^-a-z0-9](?:type|encoding)$/i.test(name)) throw errors.invalid(`headers.${name}: write a hyphen`);
    if (!isValidHeaderName(name))
      throw errors.invalid(`headers: ${JSON.stringify(name.slice(0, 64))} is not a valid header name`);
    if (!isValidHeaderValue(value))
      throw errors.invalid(`headers.${name}: must not contain line breaks or control characters`);
  }
}

/** This expression has no repeated group: on megabytes, a repeated group overflows the stack. */
const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));

/** @throws ApiError 400 */
function readCallBody({ body, bodyBase64 }: ProxyRequestBody): string | Buffer | null {
  if (typeof bodyBase64 !== 'string') return body ?? null;
  if (typeof body === 'string') throw errors.invalid('bodyBase64: send either body or bodyBase64, not both');
  if (!isBase64(bodyBase64)) throw errors.invalid('bodyBase64: must be base64 with padding and without line breaks');
  return Buffer.from(bodyBase64, 'base64');
}

/**
 * An empty body counts as no body: the two look the same on the wire, so they are one request for a key and for a
 * denial. A body without a content type gets the type that it looks like (docs/reference/agent-api.md#request-body).
 */
function settledBody(
  method: HttpMethod,
  body: string | Buffer | null,
  headers: Record<string, string>,
): string | Buffer | null {
  if (body === null || body.length === 0) return null;
  if (method === 'GET' || method === 'HEAD') throw errors.bodyNotAllowed(method);
  if (!Object.keys(headers).some((name) => name.toLowerCase() === 'content-type'))
    headers['Content-Type'] = detectedType(body);
  return body;
}
