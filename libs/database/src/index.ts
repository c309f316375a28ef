/**
 * TypeORM entities, migrations and the data source. Does not use Nest. May depend only on the types in
 * `libs/contracts`.
 */
export * from './agent-makers.js';
export * from './connection/database-client.js';
export * from './connection/database-connection.js';
export * from './connection/database-url-error.js';
export * from './connection/session.js';
export * from './data-source.js';
export * from './entities/account.js';
export * from './entities/action.js';
export * from './entities/agent.js';
export * from './entities/audit-record.js';
export * from './entities/callback.js';
export * from './entities/channel.js';
export * from './entities/delivery.js';
export * from './entities/idempotency-record.js';
export * from './entities/service.js';
export * from './entities/slack.js';
export * from './entities/web-push-keys.js';
export * from './entities/workspace.js';
export * from './in-batches.js';
export { inSteps } from './migrations/steps.js';
export * from './transaction.js';
