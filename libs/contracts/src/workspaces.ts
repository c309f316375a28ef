import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Actor } from './actor.js';
import { APPROVER_RULE_HOURS_MAX, EXPIRES_IN_MINUTES_MAX, PAUSE_REASON_MAX, WORKSPACE_NAME_MAX } from './limits.js';
import { ROLES, type Role } from './states.js';
import { AtLeastOneOf, IsId, IsMinutesToLive, IsMissable, IsMoment, IsOneLine, Trimmed } from './validation.js';

const ROLE = { enum: ROLES, enumName: 'Role' } as const;

/** The settings for decisions that the owners of a workspace choose. */
export class WorkspaceSettings {
  /** Whether the person who made an agent, or rotated a key of it that still works, may not approve its actions. */
  @ApiProperty()
  separationOfDuties: boolean;

  /** From this risk on, approving needs a fresh confirmation. Null: never. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  confirmFromRisk: number | null;

  /** Below this risk, a notification on a person's device has a button to approve. Null: no notification has it. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  approveInNotificationsBelow: number | null;

  /** How many hours ahead an approver may allow similar requests. */
  @ApiProperty({ minimum: 1, maximum: APPROVER_RULE_HOURS_MAX })
  approverRuleMaxHours: number;
}

/** While a workspace is paused, its agents get 403 `Paused: <reason>` for every request. */
export class Pause {
  @ApiProperty()
  reason: string;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ type: Actor })
  by: Actor;
}

/** A workspace of the person who asks. */
export class WorkspaceSummary {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  /** The role of the person who asks. */
  @ApiProperty(ROLE)
  role: Role;

  /** Null: it is not paused. */
  @ApiProperty({ type: Pause, nullable: true })
  pause: Pause | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;
}

export class Workspace extends WorkspaceSummary {
  @ApiProperty({ type: WorkspaceSettings })
  settings: WorkspaceSettings;
}

export class PauseWorkspaceRequest {
  /** One line that agents and people read. */
  @ApiProperty({ minLength: 1, maxLength: PAUSE_REASON_MAX })
  @IsOneLine(PAUSE_REASON_MAX)
  reason: string;
}

export class ResumedWorkspace extends Workspace {
  /** How many requests the pause refused, counted up to 10,000. */
  @ApiProperty({ type: 'integer' })
  refusedRequests: number;
}

export class CreateWorkspaceRequest {
  @ApiProperty({ minLength: 1, maxLength: WORKSPACE_NAME_MAX })
  @Trimmed()
  @IsString()
  @Length(1, WORKSPACE_NAME_MAX)
  name: string;
}

/** The settings to change. Settings that are left out stay the same. */
export class UpdateWorkspaceSettings {
  @ApiPropertyOptional()
  @AtLeastOneOf(['separationOfDuties', 'confirmFromRisk', 'approveInNotificationsBelow', 'approverRuleMaxHours'])
  @IsMissable()
  @IsBoolean()
  separationOfDuties?: boolean;

  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  confirmFromRisk?: number | null;

  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  approveInNotificationsBelow?: number | null;

  @ApiPropertyOptional({ minimum: 1, maximum: APPROVER_RULE_HOURS_MAX })
  @IsMissable()
  @IsInt()
  @Min(1)
  @Max(APPROVER_RULE_HOURS_MAX)
  approverRuleMaxHours?: number;
}

export class UpdateWorkspaceRequest {
  @ApiPropertyOptional({ minLength: 1, maxLength: WORKSPACE_NAME_MAX })
  @AtLeastOneOf(['name', 'settings'])
  @IsMissable()
  @Trimmed()
  @IsString()
  @Length(1, WORKSPACE_NAME_MAX)
  name?: string;

  @ApiPropertyOptional({ type: UpdateWorkspaceSettings })
  @IsMissable()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateWorkspaceSettings)
  settings?: UpdateWorkspaceSettings;
}

export class Member {
  /** The id of the account. */
  @ApiProperty()
  id: number;

  @ApiProperty({ format: 'email' })
  email: string;

  @ApiProperty()
  name: string;

  @ApiProperty(ROLE)
  role: Role;

  @ApiProperty({ format: 'date-time' })
  joinedAt: string;

  /** The last request in this workspace, to the minute. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastSeenAt: string | null;
}

export class UpdateMemberRequest {
  @ApiProperty(ROLE)
  @IsIn(ROLES)
  role: Role;
}

export class CreateAccessTokenRequest {
  @ApiProperty({ minLength: 1, maxLength: WORKSPACE_NAME_MAX })
  @Trimmed()
  @IsString()
  @Length(1, WORKSPACE_NAME_MAX)
  name: string;

  @ApiProperty({ type: 'integer' })
  @IsId()
  workspaceId: number;

  @ApiProperty(ROLE)
  @IsIn(ROLES)
  role: Role;

  /** At most a year ahead. Either this or `expiresInMinutes`. */
  @ApiPropertyOptional({ format: 'date-time' })
  @IsMissable()
  @IsMoment()
  expiresAt?: string;

  /** The token ends after this time, by the gateway's clock. */
  @ApiPropertyOptional({ minimum: 1, maximum: EXPIRES_IN_MINUTES_MAX })
  @IsMinutesToLive()
  expiresInMinutes?: number;
}

/** A token with which programs call the API for a person. */
export class AccessToken {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ type: 'integer' })
  workspaceId: number;

  /** The most that the token may do. It may never do more than the person. */
  @ApiProperty(ROLE)
  role: Role;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  /** The last request with it, to the minute. Null: it was never used. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastUsedAt: string | null;
}

export class CreatedAccessToken extends AccessToken {
  /** Only this response contains it. */
  @ApiProperty()
  token: string;
}
