/**
 * The HTTP interface: request and response types, one file per resource, and the numbers, names and states that both
 * sides share. It depends on no other part of the project. The dashboard imports types from here with `import type`. It
 * imports constants from `#contracts/callback-hosts`, `#contracts/channel-states`, `#contracts/device-name`,
 * `#contracts/effects`, `#contracts/encoded-text`, `#contracts/limits`, `#contracts/mail-text`, `#contracts/headers`, `#contracts/rule-presets`, `#contracts/searched-numbers` and `#contracts/states`, which import nothing
 * themselves.
 */
export * from './accounts.js';
export * from './action-context.js';
export * from './action-decisions.js';
export * from './action-list.js';
export * from './action-status.js';
export * from './actions.js';
export * from './actor.js';
export * from './agents.js';
export * from './audit-figures.js';
export * from './audit.js';
export * from './backtests.js';
export * from './callback-hosts.js';
export * from './callbacks.js';
export * from './configuration.js';
export * from './channel-states.js';
export * from './channels.js';
export * from './deliveries.js';
export * from './device-name.js';
export * from './discovery.js';
export * from './documentation.js';
export * from './effects.js';
export * from './error-codes.js';
export * from './errors.js';
export * from './events.js';
export * from './headers.js';
export * from './health.js';
export * from './invitations.js';
export * from './installation.js';
export * from './limits.js';
export * from './mcp.js';
export * from './passkeys.js';
export * from './proxy.js';
export * from './risk-rules.js';
export * from './risk.js';
export * from './rule-presets.js';
export * from './service-auth.js';
export * from './service-credentials.js';
export * from './services.js';
export * from './slack.js';
export * from './states.js';
export * from './usage.js';
export * from './validation.js';
export * from './web-push.js';
export * from './workspaces.js';
