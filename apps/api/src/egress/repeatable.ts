import type { HttpMethod } from '#contracts';

/**
 * Whether a request may be sent again when the gateway cannot tell if the upstream received it. RFC 9110 section 9.2.2
 * calls these methods idempotent. The gateway never sends POST and PATCH twice. See
 * docs/reference/states.md#after-sending.
 */
export function isRepeatable(method: HttpMethod): boolean {
  return method !== 'POST' && method !== 'PATCH';
}
