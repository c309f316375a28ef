import { ApiProperty } from '@nestjs/swagger';
import { MaxLength, MinLength } from 'class-validator';
import { MessageResponse } from './errors.js';
import { AccountEmail, Text } from './fields.js';
import { EMAIL_MAX, PASSWORD_MAX, PASSWORD_MIN, USER_NAME_MAX } from './limits.js';
import { Nested } from './nested-fields.js';
import { PasskeyAssertion } from './passkeys.js';
import { ROLES, type Role } from './states.js';

export class RegisterRequest {
  /** E-mails are compared without regard to letter case. */
  @AccountEmail()
  email: string;

  @Text({ min: PASSWORD_MIN, max: PASSWORD_MAX })
  password: string;

  /** Other people see this name beside this person's decisions. Default: the part of the e-mail before the `@`. */
  @Text({ optional: true, min: 1, max: USER_NAME_MAX, trimmed: true }, { nullable: true })
  name?: string;

  /** Required to create the first account if the operator set `SETUP_TOKEN`. */
  @Text({ optional: true, trimmed: true }, { nullable: true, max: 512 })
  setupToken?: string;

  /** The token of an invitation. It works while registration is closed, and only for the invited e-mail. */
  @Text({ optional: true, nullable: true, max: 512 }, { min: 1 })
  invitation?: string | null;
}

export class LoginRequest {
  @Text({ format: 'email', trimmed: true }, { max: EMAIL_MAX })
  email: string;

  @Text()
  @MinLength(1)
  @MaxLength(1024)
  password: string;
}

/**
 * The token can also be sent as the cookie that login set. The body takes precedence
 * (docs/reference/dashboard-api.md#refresh-cookie).
 */
export class RefreshRequest {
  @Text({ optional: true }, { nullable: true, max: 4096 })
  refreshToken?: string;
}

export class ChangePasswordRequest {
  @Text()
  @MinLength(1)
  @MaxLength(1024)
  currentPassword: string;

  @Text({ min: PASSWORD_MIN, max: PASSWORD_MAX })
  newPassword: string;
}

export class UpdateProfileRequest {
  @Text({ min: 1, max: USER_NAME_MAX, trimmed: true })
  name: string;
}

export class User {
  @ApiProperty()
  id: number;

  @ApiProperty({ format: 'email' })
  email: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;
}

export class UserResponse {
  @ApiProperty({ type: User })
  user: User;
}

export class TokenWorkspace {
  @ApiProperty({ type: 'integer' })
  id: number;

  @ApiProperty()
  name: string;
}

/** What a personal access token is. */
export class TokenIdentity {
  @ApiProperty()
  name: string;

  /** What it may do now: its own role, or that of the person if it is lower. */
  @ApiProperty({ enum: ROLES, enumName: 'Role' })
  role: Role;

  /** The only workspace that it works in. */
  @ApiProperty({ type: () => TokenWorkspace })
  workspace: TokenWorkspace;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

export class MeResponse extends UserResponse {
  /** Whether the person may see and change the settings of the whole installation. */
  @ApiProperty()
  administersInstallation: boolean;

  /** Whether the gateway sends mail: the operator has set `SMTP_URL`. */
  @ApiProperty()
  sendsMail: boolean;

  /** The personal access token that sent the request; null: the person is logged in. */
  @ApiProperty({ type: () => TokenIdentity, nullable: true })
  token: TokenIdentity | null;
}

export class TokenPair {
  /** JWT for `Authorization: Bearer`. */
  @ApiProperty()
  accessToken: string;

  /**
   * Single use: each refresh returns a new one. Using an old one again ends the session
   * (docs/reference/dashboard-api.md#sessions).
   */
  @ApiProperty()
  refreshToken: string;

  /** Lifetime of the access token in seconds. */
  @ApiProperty({ example: 900 })
  expiresIn: number;
}

export class LoginResponse extends TokenPair {
  @ApiProperty({ type: User })
  user: User;
}

/** The data that the dashboard needs before anyone has logged in. */
export class SetupState {
  /** True while no account exists, so that the first one can be created. */
  @ApiProperty()
  setupRequired: boolean;

  /** True when the operator set `SETUP_TOKEN`. */
  @ApiProperty()
  setupTokenRequired: boolean;

  /** True when anyone may register (`ALLOW_REGISTRATION`). */
  @ApiProperty()
  registrationOpen: boolean;

  /**
   * `PUBLIC_URL`: where people and providers reach the gateway. Null: it is not set, so nobody can connect OAuth
   * services.
   */
  @ApiProperty({ format: 'uri', nullable: true, type: String })
  publicUrl: string | null;
}

export class OidcMethod {
  /** The name on the button, for example the name of the company. */
  @ApiProperty()
  name: string;
}

/** How people can log in. */
export class AuthMethods {
  @ApiProperty()
  password: boolean;

  /** Null: no OpenID provider is set up. */
  @ApiProperty({ type: OidcMethod, nullable: true })
  oidc: OidcMethod | null;

  /** Whether people can log in with passkeys. They need `PUBLIC_URL`. */
  @ApiProperty()
  passkeys: boolean;
}

/** Whether the person of this session has recently confirmed their identity, and how they can confirm it. */
export class Confirmation {
  /** The time until which this session counts as confirmed. Null: it does not. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  confirmedUntil: string | null;

  /** Whether the account has a password to confirm with. */
  @ApiProperty()
  password: boolean;

  /** Whether the account has a passkey to confirm with. */
  @ApiProperty()
  passkey: boolean;
}

/** Contains either the password or the passkey. */
export class ConfirmRequest {
  /** The password of this account. */
  @Text({ optional: true })
  @MinLength(1)
  @MaxLength(1024)
  password?: string;

  /** The answer of a device to the options of `POST /auth/confirm/options`. */
  @Nested(PasskeyAssertion, { optional: true })
  passkey?: PasskeyAssertion;
}

export class LinkIdentityResponse {
  /** The sign-in page of the provider. */
  @ApiProperty({ format: 'uri' })
  url: string;
}

/** The identity of an account at an OpenID provider. */
export class Identity {
  @ApiProperty()
  id: number;

  @ApiProperty({ format: 'uri' })
  issuer: string;

  /** The e-mail at the provider, at the last sign-in. */
  @ApiProperty({ format: 'email' })
  email: string;

  @ApiProperty({ format: 'date-time' })
  linkedAt: string;

  @ApiProperty({ format: 'date-time' })
  lastUsedAt: string;
}

/** A login that is still valid. It is stored as a family of refresh tokens. */
export class Session {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** True for the session that sent this request. */
  @ApiProperty()
  current: boolean;

  @ApiProperty({ nullable: true, type: String })
  userAgent: string | null;

  @ApiProperty({ nullable: true, type: String })
  address: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  /** The time of the last token refresh. */
  @ApiProperty({ format: 'date-time' })
  lastUsedAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

export class RevokedSessionsResponse extends MessageResponse {
  /** How many sessions ended. */
  @ApiProperty()
  revoked: number;
}
