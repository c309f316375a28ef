/**
 * A `fetch` through Agent Gateway. It uses only the web platform and imports nothing, so it runs in Node 18, browsers,
 * Deno and Bun.
 */
export { ApprovalDenied, ApprovalExpired, ApprovalPending, GatewayError } from './errors.js';
export { createGatewayFetch, resumeAction } from './gateway-fetch.js';
export type { Fetch, GatewayOptions, GatewayRequest, HeldAction, Revision } from './options.js';
export { revisionOf } from './revision.js';
