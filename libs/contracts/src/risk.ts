import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { INTENT_MAX, TARGET_URL_MAX } from './limits.js';
import {
  HTTP_METHODS,
  RISK_SOURCES,
  RULE_EFFECTS,
  type HttpMethod,
  type RiskSource,
  type RuleEffect,
} from './states.js';
import { IsId, IsMissable, IsStringMap } from './validation.js';

export class AssessRiskRequest {
  @ApiProperty()
  @IsId()
  serviceId: number;

  /** Needed for rules that apply only to some agents. */
  @ApiPropertyOptional()
  @IsMissable()
  @IsId()
  agentId?: number;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  @IsIn(HTTP_METHODS)
  method: HttpMethod;

  @ApiProperty({ format: 'uri', maxLength: TARGET_URL_MAX })
  @IsString()
  @MaxLength(TARGET_URL_MAX)
  targetUrl: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' } })
  @IsOptional()
  @IsStringMap()
  headers?: Record<string, string> | null;

  @ApiPropertyOptional({ nullable: true, type: String })
  @IsOptional()
  @IsString()
  body?: string | null;

  @ApiProperty({ minLength: 1, maxLength: INTENT_MAX })
  @IsString()
  @Length(1, INTENT_MAX)
  intent: string;
}

export class MatchedRule {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: RULE_EFFECTS, enumName: 'RuleEffect' })
  effect: RuleEffect;
}

export const RISK_DECISIONS = ['forward', 'hold', 'deny'] as const;
export type RiskDecision = (typeof RISK_DECISIONS)[number];

export class RiskAssessment {
  /** 0 to 1. */
  @ApiProperty()
  score: number;

  /** The model's score; null when the model was not called or failed. */
  @ApiProperty({ nullable: true, type: Number })
  llmScore: number | null;

  @ApiProperty()
  heuristicScore: number;

  @ApiProperty()
  explanation: string;

  @ApiProperty({ enum: RISK_SOURCES, enumName: 'RiskSource' })
  source: RiskSource;

  /** Every rule that matches, the strongest first. */
  @ApiProperty({ type: [MatchedRule] })
  matchedRules: MatchedRule[];

  @ApiProperty({ enum: RISK_DECISIONS, enumName: 'RiskDecision' })
  decision: RiskDecision;

  @ApiProperty()
  threshold: number;

  @ApiProperty()
  durationMs: number;

  /** The prompt for the model; null when the model was not called. */
  @ApiProperty({ nullable: true, type: String })
  prompt: string | null;
}
