import type { HttpMethod } from '#contracts';

/**
 * Whether it does no harm to repeat a request of this method. RFC 9110 section 9.2.2 calls these methods idempotent.
 * Whether the gateway sends a request again is up to `isRepeatableRequest`, because a request may state more methods.
 */
export function isRepeatable(method: HttpMethod): boolean {
  return method !== 'POST' && method !== 'PATCH';
}
