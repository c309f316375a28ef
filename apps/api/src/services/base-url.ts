import { parseUrl } from '#egress';
import { errors } from '../platform/errors.js';

/**
 * A service's base URL is stored as sent, so it must have one meaning only: http or https, a host, and an optional path
 * (docs/reference/dashboard-api.md#base-url). Private addresses are refused when a request is sent, not here, because
 * the operator's allowlist may change.
 * @throws ApiError 400
 */
export function assertBaseUrl(text: string): void {
  const url = /^https?:\/\/[^/\\]/i.test(text) && !/[\s\\\p{Cc}]/u.test(text) && parseUrl(text);
  if (!url) throw errors.invalid('baseUrl: must be a valid http or https URL');
  // The parsed URL does not show an empty user info, query or fragment (`https://@host`, `?`, `#`).
  if (/[?#]/.test(text) || /^https?:\/\/[^/]*@/i.test(text)) {
    throw errors.invalid('baseUrl: must not contain user information, a query or a fragment');
  }
}
