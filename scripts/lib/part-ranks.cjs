// @ts-check
/** The parts of the API from low to high. Parts on one line do not import each other. */
module.exports = [
  ['platform'],
  ['crypto', 'egress'],
  ['request-reading'],
  ['conditions', 'effects'],
  ['auth'],
  ['membership'],
  ['audit', 'events'],
  ['outbox'],
  ['service-view', 'web-push'],
  ['credentials'],
  ['connections'],
  ['rules', 'documentation'],
  ['services'],
  ['agents', 'risk'],
  ['approvals', 'callbacks', 'channels'],
  ['backtests', 'idempotency', 'slack', 'workspaces'],
  ['proxy', 'configuration'],
  ['base-urls', 'mcp', 'discovery', 'policy-tests'],
  ['audit-reading'],
  ['figures'],
];
