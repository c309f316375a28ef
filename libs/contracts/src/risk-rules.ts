import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import {
  APPROVALS_MAX,
  APPROVERS_MAX,
  EXPIRES_IN_MINUTES_MAX,
  ID_MAX,
  PATH_PATTERN_MAX,
  RULE_INSTRUCTION_MAX,
  RULE_NAME_MAX,
} from './limits.js';
import { HTTP_METHODS, RULE_EFFECTS, type HttpMethod, type RuleEffect } from './states.js';
import { AtLeastOneOf, IsId, IsMinutesToLive, IsMissable, IsMoment } from './validation.js';

const FIELDS = [
  'name',
  'effect',
  'methods',
  'pathPattern',
  'instruction',
  'agentIds',
  'approvals',
  'approverIds',
  'expiresAt',
  'expiresInMinutes',
  'maxUses',
  'isActive',
] as const;

/** The fields that requests to create and to update a rule share. */
export class RiskRuleScope {
  /** Empty or missing: all methods. */
  @ApiPropertyOptional({ enum: HTTP_METHODS, enumName: 'HttpMethod', isArray: true })
  @IsMissable()
  @IsArray()
  @ArrayMaxSize(HTTP_METHODS.length)
  @IsIn(HTTP_METHODS, { each: true })
  methods?: HttpMethod[];

  /**
   * Glob for the path below the base URL. `*` matches within a segment, `**` across segments; at most 8 wildcards.
   * Empty or missing: all paths.
   */
  @ApiPropertyOptional({ maxLength: PATH_PATTERN_MAX, example: '/customers/**' })
  @IsMissable()
  @IsString()
  @MaxLength(PATH_PATTERN_MAX)
  pathPattern?: string;

  /** For `guidance`: the instruction for the model. */
  @ApiPropertyOptional({ maxLength: RULE_INSTRUCTION_MAX })
  @IsMissable()
  @IsString()
  @MaxLength(RULE_INSTRUCTION_MAX)
  instruction?: string;

  /** Empty or missing: all agents. */
  @ApiPropertyOptional({ type: [Number] })
  @IsMissable()
  @IsArray()
  @ArrayMaxSize(1000)
  @IsId({ each: true })
  agentIds?: number[];

  /** For `require_approval`: how many people must approve. Default 1. */
  @ApiPropertyOptional({ minimum: 1, maximum: APPROVALS_MAX, default: 1 })
  @IsMissable()
  @IsInt()
  @Min(1)
  @Max(APPROVALS_MAX)
  approvals?: number;

  /**
   * For `require_approval`: the accounts of the members who may approve. Empty or missing: everyone whose role allows
   * it.
   */
  @ApiPropertyOptional({ type: [Number] })
  @IsMissable()
  @IsArray()
  @ArrayMaxSize(APPROVERS_MAX)
  @IsId({ each: true })
  approverIds?: number[];

  /** The rule ends at this time; null: never. */
  @ApiPropertyOptional({ format: 'date-time', nullable: true, type: String })
  @IsOptional()
  @IsMoment()
  expiresAt?: string | null;

  /** The rule ends after this time, by the gateway's clock. In place of `expiresAt`. */
  @ApiPropertyOptional({ minimum: 1, maximum: EXPIRES_IN_MINUTES_MAX })
  @IsMinutesToLive()
  expiresInMinutes?: number;

  /** The rule ends after this many decisions; null: never. */
  @ApiPropertyOptional({ minimum: 1, nullable: true, type: Number })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(ID_MAX)
  maxUses?: number | null;

  /** Default true. */
  @ApiPropertyOptional()
  @IsMissable()
  @IsBoolean()
  isActive?: boolean;
}

export class CreateRiskRuleRequest extends RiskRuleScope {
  @ApiProperty({ minLength: 1, maxLength: RULE_NAME_MAX })
  @IsString()
  @Length(1, RULE_NAME_MAX)
  name: string;

  @ApiProperty({ enum: RULE_EFFECTS, enumName: 'RuleEffect' })
  @IsIn(RULE_EFFECTS)
  effect: RuleEffect;
}

export class UpdateRiskRuleRequest extends RiskRuleScope {
  @ApiPropertyOptional({ minLength: 1, maxLength: RULE_NAME_MAX })
  @AtLeastOneOf(FIELDS)
  @IsMissable()
  @IsString()
  @Length(1, RULE_NAME_MAX)
  name?: string;

  @ApiPropertyOptional({ enum: RULE_EFFECTS, enumName: 'RuleEffect' })
  @IsMissable()
  @IsIn(RULE_EFFECTS)
  effect?: RuleEffect;
}

export class RiskRule {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: RULE_EFFECTS, enumName: 'RuleEffect' })
  effect: RuleEffect;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod', isArray: true })
  methods: HttpMethod[];

  @ApiProperty()
  pathPattern: string;

  @ApiProperty()
  instruction: string;

  @ApiProperty({ type: [Number] })
  agentIds: number[];

  /** How many people must approve. */
  @ApiProperty({ minimum: 1, maximum: APPROVALS_MAX })
  approvals: number;

  /** Who may approve. Empty: everyone whose role allows it. */
  @ApiProperty({ type: [Number] })
  approverIds: number[];

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  expiresAt: string | null;

  @ApiProperty({ nullable: true, type: Number })
  maxUses: number | null;

  /** How many decisions the rule has made. Counted only if the rule has `maxUses`. */
  @ApiProperty()
  uses: number;

  @ApiProperty()
  isActive: boolean;

  /** The name of the person who created the rule. */
  @ApiProperty({ nullable: true, type: String })
  createdBy: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

/**
 * How many of the service's latest requests an unsaved rule would match. It checks the last 200 requests that were
 * assessed.
 */
export class RulePreview {
  @ApiProperty()
  matched: number;

  @ApiProperty()
  of: number;
}
