import { IDEMPOTENCY_KEY_MAX, INTENT_MAX, TARGET_URL_MAX } from '#contracts/limits';
import type { ProxyRequestBody } from '#contracts/proxy';
import { HTTP_METHODS, type HttpMethod } from '#contracts/states';

const METHODS: ReadonlySet<unknown> = new Set(HTTP_METHODS satisfies readonly HttpMethod[]);

/**
 * Whether a body is certainly a valid `ProxyRequestBody`. This holds for nearly every request, and takes a twentieth of
 * the validator's time. The validator checks all other bodies, and writes the error texts.
 */
export function isWellFormed(given: object): given is ProxyRequestBody {
  const { targetUrl, method, headers, body, bodyBase64, intent, idempotencyKey } = given as Record<string, unknown>;
  return (
    isTextOfLength(targetUrl, 0, TARGET_URL_MAX) &&
    METHODS.has(method) &&
    (headers === undefined || headers === null || isTextMap(headers)) &&
    (body === undefined || body === null || typeof body === 'string') &&
    bodyBase64 === undefined &&
    isTextOfLength(intent, 1, INTENT_MAX) &&
    (idempotencyKey === undefined || isTextOfLength(idempotencyKey, 1, IDEMPOTENCY_KEY_MAX))
  );
}

/**
 * Counts UTF-16 units, which are at least as many as the characters that the validator counts. So few texts are left to
 * the validator.
 */
function isTextOfLength(value: unknown, min: number, max: number): boolean {
  return typeof value === 'string' && value.length >= min && value.length <= max && (min === 0 || value.trim() !== '');
}

function isTextMap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const name of Object.keys(value)) {
    if (typeof (value as Record<string, unknown>)[name] !== 'string') return false;
  }
  return true;
}
