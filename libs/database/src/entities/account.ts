import type { Relation } from 'typeorm';
import { Column, Entity, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

@Entity('users')
export class UserEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('text')
  email: string;

  @Column('text')
  name: string;

  /** Null: the person signs in with a provider only. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}

/** One login session: a family of refresh tokens, of which only `tokenId` is valid. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer')
  userId: number;

  @ManyToOne(() => UserEntity)
  user: Relation<UserEntity>;

  @Column('uuid')
  tokenId: string;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @Column('text', { nullable: true })
  address: string | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  lastUsedAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;

  /** When the person last confirmed their identity with a password or passkey, by the database's clock. */
  @Column('timestamptz', { nullable: true })
  confirmedAt: Date | null;
}

/** A login attempt that failed or is in progress. */
@Entity('login_attempts')
export class LoginAttemptEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  /** In lower case. */
  @Column('text')
  email: string;

  @Column('text')
  address: string;

  @Column('timestamptz')
  at: Date;
}
