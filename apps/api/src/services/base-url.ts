import { errors } from '../platform/errors.js';

/**
 * A service's base URL is kept as sent, so it must mean one thing only: http or https, a host, perhaps a path
 * (docs/reference/dashboard-api.md#base-url). Private addresses are refused when a request is sent, not here: the
 * operator's allow-list may change.
 * @throws ApiError 400
 */
export function assertBaseUrl(text: string): void {
  const url = /^https?:\/\/[^/\\]/i.test(text) && !/[\s\\\p{Cc}]/u.test(text) && URL.canParse(text) && new URL(text);
  if (!url) throw errors.invalid('baseUrl: must be a valid http or https URL');
  // An empty user info, query or fragment (`https://@host`, `?`, `#`) is invisible in the parsed URL.
  if (/[?#]/.test(text) || /^https?:\/\/[^/]*@/i.test(text)) {
    throw errors.invalid('baseUrl: must not contain user information, a query or a fragment');
  }
}
