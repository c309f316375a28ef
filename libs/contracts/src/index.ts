/**
 * What goes over the wire: request and response types, one file a resource, and the numbers, names and states that both sides
 * agree on. Depends on nothing of ours. The dashboard takes types with `import type` from here, and constants from
 * `#contracts/callback-hosts`, `#contracts/limits`, `#contracts/headers`, `#contracts/rule-presets` and `#contracts/states`, which import nothing.
 */
export * from './accounts.js';
export * from './actions.js';
export * from './agents.js';
export * from './audit.js';
export * from './callback-hosts.js';
export * from './callbacks.js';
export * from './discovery.js';
export * from './documentation.js';
export * from './error-codes.js';
export * from './errors.js';
export * from './events.js';
export * from './headers.js';
export * from './health.js';
export * from './limits.js';
export * from './mcp.js';
export * from './proxy.js';
export * from './risk-rules.js';
export * from './risk.js';
export * from './rule-presets.js';
export * from './services.js';
export * from './states.js';
export * from './validation.js';
