import type {
  AuthType,
  BaseUrlIdempotency,
  DocumentType,
  HttpMethod,
  RequestCodings,
  RewriteLinks,
  RuleEffect,
  RuleExceptions,
  RuleMode,
} from '#contracts/states';
import type { AuthSettings, OAuthSettings, RuleLimit } from '#contracts';
import type { AskedEffect } from '#contracts/effects';
import type { Relation } from 'typeorm';
import { Column, Entity, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity('services')
export class ServiceEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  workspaceId: number;

  /** Who made it. Null: the account was deleted. */
  @Column('integer', { nullable: true })
  userId: number | null;

  @Column('text')
  name: string;

  @Column('text')
  baseUrl: string;

  @Column('text')
  authType: AuthType;

  /** How the credentials are injected. Null: as the auth type says. */
  @Column('jsonb', { nullable: true })
  auth: AuthSettings | null;

  /** How the gateway gets access tokens. Null: an access token is stored as a credential. */
  @Column('jsonb', { nullable: true })
  oauth: OAuthSettings | null;

  /** The end of the client certificate's life, as read from the stored certificate. */
  @Column('timestamptz', { nullable: true })
  certificateValidTo: Date | null;

  @Column('text')
  rewriteLinks: RewriteLinks;

  /** Null: `keep` for services with AWS Signature V4, else `decode`. */
  @Column('text', { nullable: true })
  requestCodings: RequestCodings | null;

  @Column('text')
  baseUrlIdempotency: BaseUrlIdempotency;

  /** Seconds; 0: a held request does not wait. */
  @Column('integer')
  baseUrlWait: number;

  @Column('timestamptz', { nullable: true })
  credentialsRotatedAt: Date | null;

  /** The `credentialsRotatedAt` of credentials that the API rejected when they were tested last. Null: none. */
  @Column('timestamptz', { nullable: true })
  rejectedRotation: Date | null;

  /** Where the stored secrets may be sent. Null: to the present addresses. */
  @Column('text', { array: true, nullable: true })
  credentialOrigins: string[] | null;

  @Column('integer', { nullable: true })
  credentialsRotatedBy: number | null;

  @Column('text', { nullable: true })
  credentialsRotatedByName: string | null;

  /** Null: nobody is reminded. */
  @Column('integer', { nullable: true })
  rotateEveryDays: number | null;

  /** What people are asked about. */
  @Column('text', { array: true, default: '{}' })
  askFor: AskedEffect[];

  /** Null: it is not paused. */
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Column('text', { nullable: true })
  pausedReason: string | null;

  @Column('integer', { nullable: true })
  pausedBy: number | null;

  @Column('text', { nullable: true })
  pausedByName: string | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** One credential. The value is encrypted, as `iv:authTag:ciphertext` in hex. */
@Entity('credentials')
export class CredentialEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  serviceId: number;

  @ManyToOne(() => ServiceEntity, { onDelete: 'CASCADE' })
  service: Relation<ServiceEntity>;

  @Column('text')
  name: string;

  @Column('text')
  encryptedValue: string;
}

@Entity('service_documents')
export class ServiceDocumentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  serviceId: number;

  @Column('text')
  type: DocumentType;

  @Column('text')
  title: string;

  @Column('text')
  content: string;

  @Column('integer')
  sizeBytes: number;

  @Column('integer')
  operationCount: number;

  /** The first parts that are not used, as JSON. */
  @Column('jsonb', { default: [] })
  ignored: { where: string; why: string }[];

  /** Null: stored by a version that did not count them. */
  @Column('integer', { nullable: true })
  ignoredCount: number | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** What a document says about an operation besides its texts. Lists are cut, so what they lack may be documented. */
export interface OperationFacts {
  tags: string[];
  deprecated: boolean;
  queryParameters: string[];
  /** The names of the fields that a body has at its top level. */
  fields: string[];
  /** What an MCP server says about its tool. */
  annotations?: Partial<Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>>;
}

/** One operation of an OpenAPI document or one tool of an MCP server, with the part of the document that describes it. */
@Entity('documented_operations')
export class DocumentedOperationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  documentId: number;

  @Column('integer')
  serviceId: number;

  /** In upper case. */
  @Column('text')
  method: string;

  /** The template, with its `{parameters}`. Empty for a tool. */
  @Column('text')
  path: string;

  /** The template that is compared with requests, with `{name+}` for what spans segments. Null: it is `path`. */
  @Column('text', { nullable: true })
  comparedPath: string | null;

  /** The path of the document's server, which precedes `path` in a URL; empty if there is none. */
  @Column('text')
  serverPath: string;

  @Column('text', { nullable: true })
  operationId: string | null;

  @Column('text', { nullable: true })
  summary: string | null;

  @Column('text', { nullable: true })
  description: string | null;

  /** The text for the risk model, cut to its budget when stored. */
  @Column('text')
  excerpt: string;

  /** Null: stored by a version that did not keep them, so nothing is known. */
  @Column('jsonb', { nullable: true })
  facts: OperationFacts | null;
}

@Entity('risk_rules')
export class RiskRuleEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  serviceId: number;

  @Column('text')
  name: string;

  @Column('text')
  effect: RuleEffect;

  @Column('text', { array: true })
  methods: HttpMethod[];

  @Column('text')
  pathPattern: string;

  /** A condition in CEL. Empty: none. */
  @Column('text', { default: '' })
  when: string;

  @Column('text')
  instruction: string;

  @Column('integer', { array: true })
  agentIds: number[];

  /** How many people must approve, for the effect `require_approval`. */
  @Column('integer', { default: 1 })
  approvals: number;

  /** Who may approve. Empty: everyone whose role allows it. */
  @Column('integer', { array: true, default: '{}' })
  approverIds: number[];

  /** Null: the effect is not `limit`. */
  @Column('jsonb', { nullable: true })
  limit: RuleLimit | null;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('integer', { nullable: true })
  maxUses: number | null;

  @Column('integer')
  uses: number;

  @Column('boolean')
  isActive: boolean;

  /** Observed, it decides nothing. */
  @Column('text', { default: 'enforce' })
  mode: RuleMode;

  /** Whether exceptions can lift the rule, for the effect `require_approval`. */
  @Column('text', { default: 'none' })
  exceptions: RuleExceptions;

  /** The ids of the rules that it lifts. Empty: it is no exception. */
  @Column('integer', { array: true, default: '{}' })
  exceptionTo: number[];

  /** The action that an exception was made from. */
  @Column('uuid', { nullable: true })
  fromAction: string | null;

  @Column('integer', { nullable: true })
  createdBy: number | null;

  @Column('text', { nullable: true })
  createdByName: string | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/**
 * The facts about a service's OAuth 2 tokens. Columns that only SQL with the database's clock reads and writes are
 * missing here.
 */
@Entity('connections')
export class ConnectionEntity {
  @PrimaryColumn('integer')
  serviceId: number;

  /** Counts the tokens that were stored. */
  @Column('bigint')
  tokenNumber: string;

  /** Whether the provider rejected the token, so that only a person can help. */
  @Column('boolean')
  needsReconnect: boolean;

  /** Why the last attempt to get a token failed. Null: it did not. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('integer', { nullable: true })
  connectedBy: number | null;

  @Column('text', { nullable: true })
  connectedByName: string | null;

  @Column('timestamptz', { nullable: true })
  connectedAt: Date | null;

  /** Set while an instance renews the token. */
  @Column('uuid', { nullable: true })
  refreshClaim: string | null;

  /** When that claim ends. */
  @Column('timestamptz', { nullable: true })
  refreshUntil: Date | null;
}

/** The credentials that a service had before. SQL copies the other columns from the service and back. */
@Entity('previous_credential_sets')
export class PreviousCredentialSetEntity {
  @PrimaryColumn('integer')
  serviceId: number;

  @Column('timestamptz')
  expiresAt: Date;
}
