import type { AskedEffect } from '#contracts/effects';
import type { Role } from '#contracts/states';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** The owner of services, agents, actions and audit records. */
@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('text')
  name: string;

  /** Whether its services may use the operator's list of private targets. Null: nobody has decided. */
  @Column('boolean', { nullable: true })
  privateTargets: boolean | null;

  @Column('boolean', { default: false })
  separationOfDuties: boolean;

  @Column('double precision', { nullable: true })
  confirmFromRisk: number | null;

  /** Approving a request with one of them needs a confirmation too, and the dashboard. */
  @Column('text', { array: true, default: '{}' })
  confirmEffects: AskedEffect[];

  /** Below this risk, notifications on devices have a button to approve. Null: no notification has it. */
  @Column('double precision', { nullable: true })
  approveInNotificationsBelow: number | null;

  @Column('integer', { default: 24 })
  approverRuleMaxHours: number;

  /** How long an approval can be taken back before it counts. */
  @Column('integer', { default: 0 })
  undoSeconds: number;

  /** Null: it is not paused. */
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Column('text', { nullable: true })
  pausedReason: string | null;

  @Column('integer', { nullable: true })
  pausedBy: number | null;

  @Column('text', { nullable: true })
  pausedByName: string | null;

  @Column('integer', { nullable: true })
  createdBy: number | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

@Entity('workspace_members')
export class WorkspaceMemberEntity {
  @PrimaryColumn('integer')
  workspaceId: number;

  @PrimaryColumn('integer')
  userId: number;

  @Column('text')
  role: Role;

  @Column('timestamptz')
  joinedAt: Date;

  @Column('timestamptz', { nullable: true })
  lastSeenAt: Date | null;

  /** Whether it comes from a group at the OpenID provider, and ends with it. */
  @Column('boolean', { default: false })
  byProvider: boolean;
}

/** An invitation to become a member. It can be accepted once. */
@Entity('invitations')
export class InvitationEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  workspaceId: number;

  @Column('text')
  email: string;

  @Column('text')
  role: Role;

  /** SHA-256 of the token, hex. */
  @Column('char', { length: 64 })
  tokenHash: string;

  @Column('integer', { nullable: true })
  invitedBy: number | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  acceptedAt: Date | null;
}

/** A token with which programs call the API for a person. */
@Entity('access_tokens')
export class AccessTokenEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  userId: number;

  @Column('integer')
  workspaceId: number;

  @Column('text')
  name: string;

  @Column('text')
  role: Role;

  /** SHA-256 of the token, hex. */
  @Column('char', { length: 64 })
  tokenHash: string;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  /** To the minute. Null: it was never used. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}

/** An account that was named to administer the installation. */
@Entity('installation_administrators')
export class InstallationAdministratorEntity {
  @PrimaryColumn('integer')
  userId: number;

  /** Null: the account was deleted. */
  @Column('integer', { nullable: true })
  namedBy: number | null;

  @Column('timestamptz')
  namedAt: Date;
}
