/** A `fetch` that goes through Agent Gateway. Only what the web platform has: Node 18, browsers, Deno, Bun; it imports nothing. */
export { ApprovalDenied, ApprovalExpired, ApprovalPending, GatewayError } from './errors.js';
export { createGatewayFetch, resumeAction } from './gateway-fetch.js';
export type { Fetch, GatewayOptions, GatewayRequest, HeldAction } from './options.js';
