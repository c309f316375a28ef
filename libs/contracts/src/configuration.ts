import { ApiProperty, ApiPropertyOptional, OmitType, PickType } from '@nestjs/swagger';
import { UpdateAgentRequest } from './agents.js';
import { Choice, Text } from './fields.js';
import {
  APPROVERS_MAX,
  CONFIGURED_AGENTS_MAX,
  CONFIGURED_SERVICES_MAX,
  DEFAULT_BODY_MAX_BYTES,
  DOCUMENT_TITLE_MAX,
  DOCUMENTS_PER_SERVICE_MAX,
  RULES_PER_SERVICE_MAX,
} from './limits.js';
import { Nested, NestedList, Texts } from './nested-fields.js';
import { CreateRiskRuleRequest } from './risk-rules.js';
import { CreateServiceRequest } from './services.js';
import { DOCUMENT_TYPES, type DocumentType } from './states.js';
import { UpdateWorkspaceSettings } from './workspaces.js';

/** A document of a service. The title identifies it, and the digest identifies its text. */
const DIGEST_EXAMPLE = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const SHA256 = { pattern: /^[0-9a-f]{64}$/, message: 'must be a SHA-256 in hex' };

export class ConfiguredDocument {
  @Text({ min: 1, max: DOCUMENT_TITLE_MAX })
  title: string;

  @Choice(DOCUMENT_TYPES, { name: 'DocumentType' })
  type: DocumentType;

  /** SHA-256 of the text, in hex. The import finds the text in the workspace. */
  @Text({ optional: true, example: DIGEST_EXAMPLE }, SHA256)
  sha256?: string;

  /** The text, in place of the digest. An export never has it. */
  @Text({ optional: true }, { max: DEFAULT_BODY_MAX_BYTES })
  content?: string;
}

/** A rule that does not expire. The name identifies it. */
export class ConfiguredRule extends OmitType(CreateRiskRuleRequest, [
  'agentIds',
  'approverIds',
  'expiresAt',
  'expiresInMinutes',
  'maxUses',
  'exceptionTo',
  'fromAction',
]) {
  /** The names of the agents that it applies to. Missing: all. */
  @Texts({ optional: true }, { max: CONFIGURED_AGENTS_MAX })
  agents?: string[];

  /** The e-mails of the members who may approve. Missing: everyone whose role allows it. */
  @Texts({ optional: true }, { max: APPROVERS_MAX })
  approvers?: string[];
}

/** A service, identified by its name, without its credentials. */
export class ConfiguredService extends OmitType(CreateServiceRequest, ['credentials']) {
  /** All documents. Missing: they stay as they are. */
  @NestedList(ConfiguredDocument, { optional: true }, { max: DOCUMENTS_PER_SERVICE_MAX })
  documentation?: ConfiguredDocument[];

  /** All rules that have no end. Missing: they stay as they are. Rules with an end always stay. */
  @NestedList(ConfiguredRule, { optional: true }, { max: RULES_PER_SERVICE_MAX })
  rules?: ConfiguredRule[];
}

/** An agent, identified by its name, without its keys. */
export class ConfiguredAgent extends PickType(UpdateAgentRequest, [
  'isActive',
  'callbackHosts',
  'keyLifetimeDays',
  'addresses',
]) {
  @Text()
  name: string;

  /** The names of the services in its scope. */
  @Texts({}, { max: CONFIGURED_SERVICES_MAX })
  services: string[];
}

/** The configuration of a workspace. A list that is missing stays as it is; a list that is present is complete. */
export class Configuration {
  /** The version of this format. */
  @Choice([1], { type: 'integer' })
  version: 1;

  /** Changing them needs an owner. */
  @Nested(UpdateWorkspaceSettings, { optional: true })
  settings?: UpdateWorkspaceSettings;

  @NestedList(ConfiguredService, { optional: true }, { max: CONFIGURED_SERVICES_MAX })
  services?: ConfiguredService[];

  @NestedList(ConfiguredAgent, { optional: true }, { max: CONFIGURED_AGENTS_MAX })
  agents?: ConfiguredAgent[];
}

export class ImportConfigurationQuery {
  /** `true`: reports what it would change, and changes nothing. */
  @Choice(['true', 'false'], { optional: true })
  dryRun?: 'true' | 'false';

  /** The `digest` of a dry run: 409, and nothing changes, if the import would do something else by now. */
  @Text({ optional: true, example: DIGEST_EXAMPLE }, SHA256)
  digest?: string;
}

const CONFIGURATION_KINDS = ['settings', 'service', 'document', 'rule', 'agent'] as const;
export type ConfigurationKind = (typeof CONFIGURATION_KINDS)[number];

const ANY = { description: 'Any JSON', nullable: true, oneOf: [{}] };

/** One field of a thing that an import changes. A field that has its default is given with the default. */
export class ConfigurationFieldChange {
  /** The name of the field in the file. */
  @ApiProperty({ example: 'baseUrl' })
  name: string;

  /** The value before the import. */
  @ApiProperty(ANY)
  from: unknown;

  /** The value of the file. */
  @ApiProperty(ANY)
  to: unknown;
}

/** What goes with a thing that an import deletes or changes, and is not in the file. */
export class ConfigurationLoss {
  /** The names of credentials that are deleted. */
  @ApiPropertyOptional({ type: [String] })
  credentials?: string[];

  /** A person has connected the service with OAuth, and somebody must do it again. */
  @ApiPropertyOptional({ enum: [true] })
  connection?: true;

  /** The names of the agents that lose access to the service. */
  @ApiPropertyOptional({ type: [String] })
  agents?: string[];

  /** How many rules go, including those that have an end. */
  @ApiPropertyOptional()
  rules?: number;

  /** How many documents go. */
  @ApiPropertyOptional()
  documents?: number;

  /** The keys of the agent stop working. */
  @ApiPropertyOptional({ enum: [true] })
  keys?: true;

  /** How many waiting or approved actions can no longer be executed. */
  @ApiPropertyOptional()
  waiting?: number;
}

/** One thing that an import creates, changes or deletes. */
export class ConfigurationChange {
  @ApiProperty({ enum: CONFIGURATION_KINDS, enumName: 'ConfigurationKind' })
  kind: ConfigurationKind;

  /** The name. For a document or rule, the service comes first: `Shop / Ask before DELETE`. */
  @ApiProperty()
  name: string;

  /** Only of a change: the fields that differ. */
  @ApiPropertyOptional({ type: [ConfigurationFieldChange] })
  fields?: ConfigurationFieldChange[];

  /** Only if something goes with it. */
  @ApiPropertyOptional({ type: ConfigurationLoss })
  loses?: ConfigurationLoss;

  /**
   * Only of a service or agent that is deleted: the file creates one that is the same, or a service with the same base
   * URL. It may be meant as a new name, but an import can't give one: rename it in the dashboard first, and nothing is lost.
   */
  @ApiPropertyOptional()
  likelyRenamedTo?: string;
}

export class ImportResult {
  @ApiProperty({ type: [ConfigurationChange] })
  created: ConfigurationChange[];

  @ApiProperty({ type: [ConfigurationChange] })
  changed: ConfigurationChange[];

  @ApiProperty({ type: [ConfigurationChange] })
  deleted: ConfigurationChange[];

  /** SHA-256 of all this in hex, without the numbers of waiting actions. */
  @ApiProperty({ pattern: '^[0-9a-f]{64}$' })
  digest: string;
}
