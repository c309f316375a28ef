import { DataSource, type DataSourceOptions } from 'typeorm';
import { ActionEntity } from './entities/action.js';
import { IdentityEntity, LoginAttemptEntity, PasskeyEntity, SessionEntity, UserEntity } from './entities/account.js';
import { AgentEntity, AgentServiceEntity, PreviousAgentKeyEntity } from './entities/agent.js';
import { AuditRecordEntity } from './entities/audit-record.js';
import { CallbackDeliveryEntity, CallbackEntity, CallbackRequestEntity } from './entities/callback.js';
import { ChannelDeliveryEntity, ChannelEntity } from './entities/channel.js';
import { IdempotencyRecordEntity } from './entities/idempotency-record.js';
import {
  ConnectionEntity,
  CredentialEntity,
  DocumentedOperationEntity,
  PreviousCredentialSetEntity,
  RiskRuleEntity,
  ServiceDocumentEntity,
  ServiceEntity,
} from './entities/service.js';
import { SlackLinkEntity, SlackLinkRequestEntity } from './entities/slack.js';
import { WebPushKeysEntity } from './entities/web-push-keys.js';
import { Initial1763683200000 } from './migrations/1763683200000-initial.js';
import { Growth1763725200000 } from './migrations/1763725200000-growth.js';
import { Decisions1763800600000 } from './migrations/1763800600000-decisions.js';
import { CompleteKeys1763800700000 } from './migrations/1763800700000-complete-keys.js';
import { AgentKeys1763990000000 } from './migrations/1763990000000-agent-keys.js';
import { PreviousCredentials1764000000000 } from './migrations/1764000000000-previous-credentials.js';
import { RotationReminders1764000100000 } from './migrations/1764000100000-rotation-reminders.js';
import { BoundValues1763950000000 } from './migrations/1763950000000-bound-values.js';
import { Callbacks1763731800000 } from './migrations/1763731800000-callbacks.js';
import { SessionEvents1763735400000 } from './migrations/1763735400000-session-events.js';
import { OpenActions1763800500000 } from './migrations/1763800500000-open-actions.js';
import { Digests1763900000000 } from './migrations/1763900000000-digests.js';
import { RoomForResults1763980000000 } from './migrations/1763980000000-room-for-results.js';
import { Usage1763739000000 } from './migrations/1763739000000-usage.js';
import { Denials1763800050000 } from './migrations/1763800050000-denials.js';
import { CallbackHosts1763800100000 } from './migrations/1763800100000-callback-hosts.js';
import { BaseUrlSettings1763800200000 } from './migrations/1763800200000-base-url-settings.js';
import { Versions1763800000000 } from './migrations/1763800000000-versions.js';
import { BodyBytes1763960000000 } from './migrations/1763960000000-body-bytes.js';
import { ClientCertificates1763970100000 } from './migrations/1763970100000-client-certificates.js';
import { ServiceAuth1763970000000 } from './migrations/1763970000000-service-auth.js';
import { OpenId1764110000000 } from './migrations/1764110000000-openid.js';
import { Approvals1764120000000 } from './migrations/1764120000000-approvals.js';
import { Channels1764160000000 } from './migrations/1764160000000-channels.js';
import { Confirmations1764130000000 } from './migrations/1764130000000-confirmations.js';
import { MappedRoles1764130200000 } from './migrations/1764130200000-mapped-roles.js';
import { Passkeys1764130100000 } from './migrations/1764130100000-passkeys.js';
import { WebPush1764170000000 } from './migrations/1764170000000-web-push.js';
import { InvitationMails1764180000000 } from './migrations/1764180000000-invitation-mails.js';
import { KnownPlaces1764180200000 } from './migrations/1764180200000-known-places.js';
import { MoreToTell1764180100000 } from './migrations/1764180100000-more-to-tell.js';
import { TokenUse1764190000000 } from './migrations/1764190000000-token-use.js';
import { SlackMessages1764200000000 } from './migrations/1764200000000-slack-messages.js';
import { SlackDecisions1764200100000 } from './migrations/1764200100000-slack-decisions.js';
import { DueDeliveries1764210000000 } from './migrations/1764210000000-due-deliveries.js';
import { Makers1764220000000 } from './migrations/1764220000000-makers.js';
import { MailLimits1764230100000 } from './migrations/1764230100000-mail-limits.js';
import { CollectingDigests1764240000000 } from './migrations/1764240000000-collecting-digests.js';
import { DeletedReceivers1764250000000 } from './migrations/1764250000000-deleted-receivers.js';
import { RequestCodings1764301000000 } from './migrations/1764301000000-request-codings.js';
import { HeldBytes1764301100000 } from './migrations/1764301100000-held-bytes.js';
import { WiderDenials1764302000000 } from './migrations/1764302000000-wider-denials.js';
import { CredentialOrigins1764303000000 } from './migrations/1764303000000-credential-origins.js';
import { KeyMakers1764304000000 } from './migrations/1764304000000-key-makers.js';
import { KindsOfDecisions1764305000000 } from './migrations/1764305000000-kinds-of-decisions.js';
import { ReadDocuments1764308000000 } from './migrations/1764308000000-read-documents.js';
import { ServiceNames1764309000000 } from './migrations/1764309000000-service-names.js';
import { Limits1764315000000 } from './migrations/1764315000000-limits.js';
import { FunctionTexts1764310000000 } from './migrations/1764310000000-function-texts.js';
import { OperationFacts1764311000000 } from './migrations/1764311000000-operation-facts.js';
import { AgentOperations1764400100000 } from './migrations/1764400100000-agent-operations.js';
import { ConditionsAndEffects1764400000000 } from './migrations/1764400000000-conditions-and-effects.js';
import { ListsOfTools1764312000000 } from './migrations/1764312000000-lists-of-tools.js';
import { RiskRuleVersions1764420100000 } from './migrations/1764420100000-risk-rule-versions.js';
import { ObservedRules1764420200000 } from './migrations/1764420200000-observed-rules.js';
import { Exceptions1764420300000 } from './migrations/1764420300000-exceptions.js';
import { RuleMatches1764430000000 } from './migrations/1764430000000-rule-matches.js';
import { Assessments1764430000010 } from './migrations/1764430000010-assessments.js';
import { CountsFrom1764430000020 } from './migrations/1764430000020-counts-from.js';
import { Headlines1764431000000 } from './migrations/1764431000000-headlines.js';
import { NamedEffects1764431000010 } from './migrations/1764431000010-named-effects.js';
import { LatestEqual1764431000020 } from './migrations/1764431000020-latest-equal.js';
import { RejectedCredentials1764431000030 } from './migrations/1764431000030-rejected-credentials.js';
import { RecordPartitions1764500000000 } from './migrations/1764500000000-record-partitions.js';
import { UnusedIndex1764500000010 } from './migrations/1764500000010-unused-index.js';
import { NotificationApprovals1764230000000 } from './migrations/1764230000000-notification-approvals.js';
import { Connections1763970200000 } from './migrations/1763970200000-connections.js';
import { Invitations1764100100000 } from './migrations/1764100100000-invitations.js';
import { Pause1764140000000 } from './migrations/1764140000000-pause.js';
import { Workspaces1764100000000 } from './migrations/1764100000000-workspaces.js';
import {
  AccessTokenEntity,
  InstallationAdministratorEntity,
  InvitationEntity,
  WorkspaceEntity,
  WorkspaceMemberEntity,
} from './entities/workspace.js';
import { SnakeCaseNaming } from './snake-case-naming.js';
import { DatabaseClient, type ClientOptions } from './connection/database-client.js';
import type { DatabaseConnection } from './connection/database-connection.js';
import { UNLIMITED } from './connection/session.js';
import { createFunctions } from './functions.js';

const ENTITIES = [
  UserEntity,
  SessionEntity,
  LoginAttemptEntity,
  IdentityEntity,
  PasskeyEntity,
  ServiceEntity,
  CredentialEntity,
  ConnectionEntity,
  PreviousCredentialSetEntity,
  ServiceDocumentEntity,
  DocumentedOperationEntity,
  RiskRuleEntity,
  AgentEntity,
  AgentServiceEntity,
  PreviousAgentKeyEntity,
  ActionEntity,
  IdempotencyRecordEntity,
  AuditRecordEntity,
  CallbackEntity,
  CallbackDeliveryEntity,
  CallbackRequestEntity,
  WorkspaceEntity,
  WorkspaceMemberEntity,
  InvitationEntity,
  AccessTokenEntity,
  InstallationAdministratorEntity,
  ChannelEntity,
  ChannelDeliveryEntity,
  SlackLinkEntity,
  SlackLinkRequestEntity,
  WebPushKeysEntity,
];

/** How long the gateway waits for its database. A database that takes longer counts as unavailable. */
export interface DatabaseTimeouts {
  /** For a connection: a new one, or a free one of the pool. */
  readonly connectMs: number;
  /** For the result of a statement. */
  readonly queryMs: number;
}

/** Together they let callers get a 503 within 5 s. */
export const DATABASE_TIMEOUTS: DatabaseTimeouts = { connectMs: 1_500, queryMs: 3_500 };

export function dataSourceOptions(
  to: DatabaseConnection,
  poolSize: number,
  { connectMs, queryMs } = DATABASE_TIMEOUTS,
): DataSourceOptions {
  const limits = { statementMs: queryMs, lockMs: queryMs - 500, idleInTransactionMs: 10_000 };
  return poolOptions(poolSize, {
    to,
    limits,
    applicationName: to.applicationName ?? 'agent-gateway',
    connectMs,
    queryMs,
  });
}

/** In the order in which they run. A released one is never edited. */
const MIGRATIONS = [
  Initial1763683200000,
  Growth1763725200000,
  Callbacks1763731800000,
  SessionEvents1763735400000,
  Usage1763739000000,
  Versions1763800000000,
  Denials1763800050000,
  CallbackHosts1763800100000,
  BaseUrlSettings1763800200000,
  OpenActions1763800500000,
  Decisions1763800600000,
  CompleteKeys1763800700000,
  Digests1763900000000,
  BoundValues1763950000000,
  BodyBytes1763960000000,
  ServiceAuth1763970000000,
  ClientCertificates1763970100000,
  Connections1763970200000,
  RoomForResults1763980000000,
  AgentKeys1763990000000,
  PreviousCredentials1764000000000,
  RotationReminders1764000100000,
  Workspaces1764100000000,
  Invitations1764100100000,
  OpenId1764110000000,
  Approvals1764120000000,
  Confirmations1764130000000,
  Passkeys1764130100000,
  MappedRoles1764130200000,
  Pause1764140000000,
  Channels1764160000000,
  WebPush1764170000000,
  InvitationMails1764180000000,
  MoreToTell1764180100000,
  KnownPlaces1764180200000,
  TokenUse1764190000000,
  SlackMessages1764200000000,
  SlackDecisions1764200100000,
  DueDeliveries1764210000000,
  Makers1764220000000,
  NotificationApprovals1764230000000,
  MailLimits1764230100000,
  CollectingDigests1764240000000,
  DeletedReceivers1764250000000,
  RequestCodings1764301000000,
  HeldBytes1764301100000,
  WiderDenials1764302000000,
  CredentialOrigins1764303000000,
  KeyMakers1764304000000,
  KindsOfDecisions1764305000000,
  ReadDocuments1764308000000,
  ServiceNames1764309000000,
  FunctionTexts1764310000000,
  OperationFacts1764311000000,
  ListsOfTools1764312000000,
  Limits1764315000000,
  ConditionsAndEffects1764400000000,
  AgentOperations1764400100000,
  RiskRuleVersions1764420100000,
  ObservedRules1764420200000,
  Exceptions1764420300000,
  RuleMatches1764430000000,
  Assessments1764430000010,
  CountsFrom1764430000020,
  Headlines1764431000000,
  NamedEffects1764431000010,
  LatestEqual1764431000020,
  RejectedCredentials1764431000030,
  RecordPartitions1764500000000,
  UnusedIndex1764500000010,
];

function poolOptions(poolSize: number, client: ClientOptions): DataSourceOptions {
  return {
    type: 'postgres',
    entities: ENTITIES,
    namingStrategy: new SnakeCaseNaming(),
    migrations: [...MIGRATIONS],
    migrationsTableName: 'migrations',
    synchronize: false,
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize,
    // The pool passes all of it to each client. Its own limit also holds for the wait for a free connection.
    extra: { Client: DatabaseClient, connectionTimeoutMillis: client.connectMs, ...client },
  };
}

/** Arbitrary, but no other program on this database may use it as an advisory lock. */
const MIGRATION_LOCK = 7_203_114;

/**
 * Brings the schema up to date. Several instances can call it at the same time: one migrates, the others wait for it.
 */
export async function migrate(to: DatabaseConnection): Promise<void> {
  // A migration may take long, and another instance waits for it.
  const client = { to, limits: UNLIMITED, applicationName: 'agent-gateway-migrate', connectMs: 0, queryMs: 0 };
  const lock = new DatabaseClient(client);
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const source = new DataSource(poolOptions(2, client));
    await source.initialize();
    try {
      await source.runMigrations({ transaction: 'each' });
      await createFunctions(source);
    } finally {
      await source.destroy();
    }
  } finally {
    await lock.end();
  }
}
