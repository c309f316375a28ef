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

/** The identity of an account at the OpenID provider. */
@Entity('identities')
export class IdentityEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  userId: number;

  @Column('text')
  issuer: string;

  @Column('text')
  subject: string;

  @Column('text')
  email: string;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  lastUsedAt: Date;
}

/** A key on a device of a person. */
@Entity('passkeys')
export class PasskeyEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('integer')
  userId: number;

  /** Random, and the same for all passkeys of the account. */
  @Column('text')
  userHandle: string;

  /** As the device made it, base64url. */
  @Column('text')
  credentialId: string;

  /** COSE. */
  @Column('bytea')
  publicKey: Buffer;

  /** How often the device says that it was used. 0: the device does not count. */
  @Column('bigint')
  counter: string;

  @Column('text', { array: true })
  transports: string[];

  @Column('text')
  name: string;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}
