import type {
  AuthType,
  BaseUrlIdempotency,
  DocumentType,
  HttpMethod,
  RewriteLinks,
  RuleEffect,
} from '#contracts/states';
import type { Relation } from 'typeorm';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';

@Entity('services')
export class ServiceEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer', { name: 'user_id' })
  userId: number;

  @Column('text')
  name: string;

  @Column('text', { name: 'base_url' })
  baseUrl: string;

  @Column('text', { name: 'auth_type' })
  authType: AuthType;

  @Column('text', { name: 'rewrite_links' })
  rewriteLinks: RewriteLinks;

  @Column('text', { name: 'base_url_idempotency' })
  baseUrlIdempotency: BaseUrlIdempotency;

  /** In seconds; 0: does not wait. */
  @Column('integer', { name: 'base_url_wait' })
  baseUrlWait: number;

  @Column('timestamptz', { name: 'credentials_rotated_at', nullable: true })
  credentialsRotatedAt: Date | null;

  @Column('integer', { name: 'credentials_rotated_by', nullable: true })
  credentialsRotatedBy: number | null;

  @Column('text', { name: 'credentials_rotated_by_name', nullable: true })
  credentialsRotatedByName: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}

/** One name/value pair, its value as `iv:authTag:ciphertext` in hex. */
@Entity('credentials')
export class CredentialEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer', { name: 'service_id' })
  serviceId: number;

  @ManyToOne(() => ServiceEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'service_id' })
  service: Relation<ServiceEntity>;

  @Column('text')
  name: string;

  @Column('text', { name: 'encrypted_value' })
  encryptedValue: string;
}

@Entity('service_documents')
export class ServiceDocumentEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer', { name: 'service_id' })
  serviceId: number;

  @Column('text')
  type: DocumentType;

  @Column('text')
  title: string;

  @Column('text')
  content: string;

  @Column('integer', { name: 'size_bytes' })
  sizeBytes: number;

  @Column('integer', { name: 'operation_count' })
  operationCount: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}

/** One operation of an OpenAPI document, with the part of the document that speaks of it. */
@Entity('documented_operations')
export class DocumentedOperationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer', { name: 'document_id' })
  documentId: number;

  @Column('integer', { name: 'service_id' })
  serviceId: number;

  /** In upper case. */
  @Column('text')
  method: string;

  /** The template, with its `{parameters}`. */
  @Column('text')
  path: string;

  /** The path of the document's server, which stands before `path` in a URL; empty if there is none. */
  @Column('text', { name: 'server_path' })
  serverPath: string;

  @Column('text', { name: 'operation_id', nullable: true })
  operationId: string | null;

  @Column('text', { nullable: true })
  summary: string | null;

  @Column('text', { nullable: true })
  description: string | null;

  /** What the risk model is given, cut to its budget when stored. */
  @Column('text')
  excerpt: string;
}

@Entity('risk_rules')
export class RiskRuleEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer', { name: 'service_id' })
  serviceId: number;

  @Column('text')
  name: string;

  @Column('text')
  effect: RuleEffect;

  @Column('text', { array: true })
  methods: HttpMethod[];

  @Column('text', { name: 'path_pattern' })
  pathPattern: string;

  @Column('text')
  instruction: string;

  @Column('integer', { name: 'agent_ids', array: true })
  agentIds: number[];

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('integer', { name: 'max_uses', nullable: true })
  maxUses: number | null;

  @Column('integer')
  uses: number;

  @Column('boolean', { name: 'is_active' })
  isActive: boolean;

  @Column('integer', { name: 'created_by', nullable: true })
  createdBy: number | null;

  @Column('text', { name: 'created_by_name', nullable: true })
  createdByName: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
