import { ApiProperty, ApiPropertyOptional, OmitType, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Length,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { UpdateAgentRequest } from './agents.js';
import {
  APPROVERS_MAX,
  CONFIGURED_AGENTS_MAX,
  CONFIGURED_SERVICES_MAX,
  DEFAULT_BODY_MAX_BYTES,
  DOCUMENT_TITLE_MAX,
  DOCUMENTS_PER_SERVICE_MAX,
  RULES_PER_SERVICE_MAX,
} from './limits.js';
import { CreateRiskRuleRequest } from './risk-rules.js';
import { CreateServiceRequest } from './services.js';
import { DOCUMENT_TYPES, type DocumentType } from './states.js';
import { IsMissable } from './validation.js';
import { UpdateWorkspaceSettings } from './workspaces.js';

/** A document of a service. The title identifies it, and the digest identifies its text. */
export class ConfiguredDocument {
  @ApiProperty({ minLength: 1, maxLength: DOCUMENT_TITLE_MAX })
  @IsString()
  @Length(1, DOCUMENT_TITLE_MAX)
  title: string;

  @ApiProperty({ enum: DOCUMENT_TYPES, enumName: 'DocumentType' })
  @IsIn(DOCUMENT_TYPES)
  type: DocumentType;

  /** SHA-256 of the text, in hex. The import finds the text in the workspace. */
  @ApiPropertyOptional({ example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' })
  @IsMissable()
  @Matches(/^[0-9a-f]{64}$/, { message: 'must be a SHA-256 in hex' })
  sha256?: string;

  /** The text, in place of the digest. An export never has it. */
  @ApiPropertyOptional()
  @IsMissable()
  @IsString()
  @MaxLength(DEFAULT_BODY_MAX_BYTES)
  content?: string;
}

/** A rule that does not expire. The name identifies it. */
export class ConfiguredRule extends OmitType(CreateRiskRuleRequest, [
  'agentIds',
  'approverIds',
  'expiresAt',
  'expiresInMinutes',
  'maxUses',
]) {
  /** The names of the agents that it applies to. Missing: all. */
  @ApiPropertyOptional({ type: [String] })
  @IsMissable()
  @IsString({ each: true })
  @ArrayMaxSize(CONFIGURED_AGENTS_MAX)
  @IsArray()
  agents?: string[];

  /** The e-mails of the members who may approve. Missing: everyone whose role allows it. */
  @ApiPropertyOptional({ type: [String] })
  @IsMissable()
  @IsString({ each: true })
  @ArrayMaxSize(APPROVERS_MAX)
  @IsArray()
  approvers?: string[];
}

/** A service, identified by its name, without its credentials. */
export class ConfiguredService extends OmitType(CreateServiceRequest, ['credentials']) {
  /** All documents. Missing: they stay as they are. */
  @ApiPropertyOptional({ type: [ConfiguredDocument] })
  @IsMissable()
  @IsArray()
  @ArrayMaxSize(DOCUMENTS_PER_SERVICE_MAX)
  @ValidateNested({ each: true })
  @Type(() => ConfiguredDocument)
  documentation?: ConfiguredDocument[];

  /** All rules that have no end. Missing: they stay as they are. Rules with an end always stay. */
  @ApiPropertyOptional({ type: [ConfiguredRule] })
  @IsMissable()
  @IsArray()
  @ArrayMaxSize(RULES_PER_SERVICE_MAX)
  @ValidateNested({ each: true })
  @Type(() => ConfiguredRule)
  rules?: ConfiguredRule[];
}

/** An agent, identified by its name, without its keys. */
export class ConfiguredAgent extends PickType(UpdateAgentRequest, [
  'isActive',
  'callbackHosts',
  'keyLifetimeDays',
  'addresses',
]) {
  @ApiProperty()
  @IsString()
  name: string;

  /** The names of the services in its scope. */
  @ApiProperty({ type: [String] })
  @IsString({ each: true })
  @ArrayMaxSize(CONFIGURED_SERVICES_MAX)
  @IsArray()
  services: string[];
}

/** The configuration of a workspace. A list that is missing stays as it is; a list that is present is complete. */
export class Configuration {
  /** The version of this format. */
  @ApiProperty({ type: 'integer', enum: [1] })
  @IsInt()
  @IsIn([1])
  version: 1;

  /** Changing them needs an owner. */
  @ApiPropertyOptional({ type: UpdateWorkspaceSettings })
  @IsMissable()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateWorkspaceSettings)
  settings?: UpdateWorkspaceSettings;

  @ApiPropertyOptional({ type: [ConfiguredService] })
  @IsMissable()
  @IsArray()
  @ArrayMaxSize(CONFIGURED_SERVICES_MAX)
  @ValidateNested({ each: true })
  @Type(() => ConfiguredService)
  services?: ConfiguredService[];

  @ApiPropertyOptional({ type: [ConfiguredAgent] })
  @IsMissable()
  @IsArray()
  @ArrayMaxSize(CONFIGURED_AGENTS_MAX)
  @ValidateNested({ each: true })
  @Type(() => ConfiguredAgent)
  agents?: ConfiguredAgent[];
}

export class ImportConfigurationQuery {
  /** `true`: reports what it would change, and changes nothing. */
  @ApiPropertyOptional({ enum: ['true', 'false'] })
  @IsMissable()
  @IsIn(['true', 'false'])
  dryRun?: 'true' | 'false';
}

const CONFIGURATION_KINDS = ['settings', 'service', 'document', 'rule', 'agent'] as const;
export type ConfigurationKind = (typeof CONFIGURATION_KINDS)[number];

/** One thing that an import creates, changes or deletes. */
export class ConfigurationChange {
  @ApiProperty({ enum: CONFIGURATION_KINDS, enumName: 'ConfigurationKind' })
  kind: ConfigurationKind;

  /** The name. For a document or rule, the service comes first: `Shop / Ask before DELETE`. */
  @ApiProperty()
  name: string;
}

export class ImportResult {
  @ApiProperty({ type: [ConfigurationChange] })
  created: ConfigurationChange[];

  @ApiProperty({ type: [ConfigurationChange] })
  changed: ConfigurationChange[];

  @ApiProperty({ type: [ConfigurationChange] })
  deleted: ConfigurationChange[];
}
