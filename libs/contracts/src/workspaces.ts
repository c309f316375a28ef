import { ApiProperty } from '@nestjs/swagger';
import { Actor } from './actor.js';
import { ASKED_EFFECTS, type AskedEffect } from './effects.js';
import { Choice, Decimal, Flag, Id, Integer, MinutesToLive, OneLine, Text, Timestamp } from './fields.js';
import { APPROVER_RULE_HOURS_MAX, PAUSE_REASON_MAX, UNDO_SECONDS_MAX, WORKSPACE_NAME_MAX } from './limits.js';
import { Choices, Nested } from './nested-fields.js';
import { ROLES, type Role } from './states.js';
import { AtLeastOneOf } from './validation.js';

const ROLE = { enum: ROLES, enumName: 'Role' } as const;

/** The settings for decisions that the owners of a workspace choose. */
export class WorkspaceSettings {
  /** Whether the person who made an agent, or rotated a key of it that still works, may not approve its actions. */
  @ApiProperty()
  separationOfDuties: boolean;

  /** From this risk on, approving needs a fresh confirmation. Null: never. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  confirmFromRisk: number | null;

  /** Approving a request that does one of these needs the confirmation too, and the dashboard. Empty: none. */
  @ApiProperty({ enum: ASKED_EFFECTS, enumName: 'AskedEffect', isArray: true })
  confirmEffects: AskedEffect[];

  /** Below this risk, a notification on a person's device has a button to approve. Null: no notification has it. */
  @ApiProperty({ type: Number, nullable: true, minimum: 0, maximum: 1 })
  approveInNotificationsBelow: number | null;

  /** How many hours ahead an approver may allow similar requests. */
  @ApiProperty({ minimum: 1, maximum: APPROVER_RULE_HOURS_MAX })
  approverRuleMaxHours: number;

  /** For how many seconds an approval can be taken back before it counts and the agent learns of it. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: UNDO_SECONDS_MAX })
  undoSeconds: number;
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
  @OneLine({ max: PAUSE_REASON_MAX })
  reason: string;
}

export class ResumedWorkspace extends Workspace {
  /** How many requests the pause refused, counted up to 10,000. */
  @ApiProperty({ type: 'integer' })
  refusedRequests: number;
}

export class CreateWorkspaceRequest {
  @Text({ min: 1, max: WORKSPACE_NAME_MAX, trimmed: true })
  name: string;
}

/** The settings to change. Settings that are left out stay the same. */
export class UpdateWorkspaceSettings {
  @AtLeastOneOf([
    'separationOfDuties',
    'confirmFromRisk',
    'confirmEffects',
    'approveInNotificationsBelow',
    'approverRuleMaxHours',
    'undoSeconds',
  ])
  @Flag({ optional: true })
  separationOfDuties?: boolean;

  @Decimal({ optional: true, nullable: true, min: 0, max: 1 })
  confirmFromRisk?: number | null;

  /** Replaces the list. */
  @Choices(ASKED_EFFECTS, { optional: true, name: 'AskedEffect' })
  confirmEffects?: AskedEffect[];

  @Decimal({ optional: true, nullable: true, min: 0, max: 1 })
  approveInNotificationsBelow?: number | null;

  @Integer({ optional: true, type: Number, min: 1, max: APPROVER_RULE_HOURS_MAX })
  approverRuleMaxHours?: number;

  /** 0: an approval counts at once. */
  @Integer({ optional: true, type: Number, min: 0, max: UNDO_SECONDS_MAX })
  undoSeconds?: number;
}

export class UpdateWorkspaceRequest {
  @AtLeastOneOf(['name', 'settings'])
  @Text({ optional: true, min: 1, max: WORKSPACE_NAME_MAX, trimmed: true })
  name?: string;

  @Nested(UpdateWorkspaceSettings, { optional: true })
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
  @Choice(ROLES, { name: 'Role' })
  role: Role;
}

export class CreateAccessTokenRequest {
  @Text({ min: 1, max: WORKSPACE_NAME_MAX, trimmed: true })
  name: string;

  @Id()
  workspaceId: number;

  @Choice(ROLES, { name: 'Role' })
  role: Role;

  /** At most a year ahead. Either this or `expiresInMinutes`. */
  @Timestamp({ optional: true })
  expiresAt?: string;

  /** The token ends after this time, by the gateway's clock. */
  @MinutesToLive()
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
