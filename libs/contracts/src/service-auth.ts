import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, Matches } from 'class-validator';
import { Actor } from './actor.js';
import { Choice, Flag, Integer, Text } from './fields.js';
import { OAUTH_SCOPES_MAX, OAUTH_URL_MAX, PREFER_WAIT_MAX_SECONDS } from './limits.js';
import { Nested, StringMap } from './nested-fields.js';
import {
  BASE_URL_IDEMPOTENCIES,
  CONNECTION_STATES,
  OAUTH_GRANTS,
  PKCE_METHODS,
  TOKEN_AUTHS,
  type BaseUrlIdempotency,
  type ConnectionState,
  type OAuthGrant,
  type PkceMethod,
  type TokenAuth,
} from './states.js';

const AWS_NAME = {
  pattern: /^[a-z0-9-]{1,64}$/,
  message: 'must contain only lowercase letters, digits and hyphens',
};

/** Defaults for requests through a service's base URL on the gateway. They apply where the URL sets nothing else. */
export class BaseUrlDefaults {
  /** `none`: POST and PATCH need no idempotency key; without one, every HTTP request counts as a new request. */
  @ApiProperty({ enum: BASE_URL_IDEMPOTENCIES, enumName: 'BaseUrlIdempotency' })
  idempotency: BaseUrlIdempotency;

  /** How many seconds a held request waits for the decision; 0: it does not wait. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: PREFER_WAIT_MAX_SECONDS })
  wait: number;
}

/** Fields that are missing keep their values. */
export class BaseUrlDefaultsRequest {
  @Choice(BASE_URL_IDEMPOTENCIES, { optional: true, name: 'BaseUrlIdempotency' })
  idempotency?: BaseUrlIdempotency;

  @Integer({ optional: true, min: 0, max: PREFER_WAIT_MAX_SECONDS })
  wait?: number;
}

/** The region and the service for which requests to AWS are signed. */
export class AwsSettings {
  @Text({ example: 'eu-central-1' }, AWS_NAME)
  region: string;

  /** The name that AWS uses in signatures. */
  @Text({ example: 's3' }, AWS_NAME)
  service: string;
}

/** How the gateway puts credentials into a request, in addition to the auth type. It holds no secrets. */
export class AuthSettings {
  /** Headers to inject, by name. `{{key}}` stands for the stored credential of that name; several are possible. */
  @StringMap({ optional: true, example: { Authorization: 'token {{key}}' } })
  headers?: Record<string, string>;

  /** Query parameters to inject, by name, in the same way. A parameter of the agent with such a name is dropped. */
  @StringMap({ optional: true, example: { api_key: '{{key}}' } })
  query?: Record<string, string>;

  /**
   * Requests are signed (AWS Signature Version 4) with the credentials `access_key_id`, `secret_access_key` and, for
   * temporary ones, `session_token`.
   */
  @Nested(AwsSettings, { optional: true })
  aws?: AwsSettings;

  /**
   * The gateway shows a certificate to the service: the credentials `client_cert` and `client_key`, in PEM. For any
   * type but `none`.
   */
  @Flag({ optional: true })
  clientCertificate?: boolean;
}

/**
 * How the gateway gets access tokens for a service of type `oauth2`. The secrets are among the service's credentials.
 */
export class OAuthSettings {
  @Choice(OAUTH_GRANTS, { name: 'OAuthGrant' })
  grant: OAuthGrant;

  /** The URL where a person allows the access. Required for `authorization_code`. */
  @Text({ optional: true, format: 'uri', max: OAUTH_URL_MAX })
  authorizationUrl?: string;

  @Text({ format: 'uri', max: OAUTH_URL_MAX })
  tokenUrl: string;

  @Text({ min: 1, max: 512 })
  clientId: string;

  @ApiProperty({ type: [String], maxItems: OAUTH_SCOPES_MAX })
  @IsArray()
  @ArrayMaxSize(OAUTH_SCOPES_MAX)
  @Matches(/^[\x21\x23-\x5b\x5d-\x7e]{1,512}$/, {
    each: true,
    message: 'each must be a scope: no spaces, quotes or backslashes',
  })
  scopes: string[];

  /** How the client authenticates at the token endpoint. Without a `client_secret` it sends its id only. */
  @Choice(TOKEN_AUTHS, { name: 'TokenAuth' })
  tokenAuth: TokenAuth;

  /** PKCE in sign-ins; `S256` where it is missing. `none` is for a provider that refuses the parameters of PKCE. */
  @Choice(PKCE_METHODS, { optional: true, name: 'PkceMethod', default: 'S256' })
  pkce?: PkceMethod;

  /** Parameters that the provider needs besides those of OAuth 2, for example to give a refresh token. */
  @StringMap({ optional: true, example: { access_type: 'offline' } })
  extraParams?: Record<string, string>;
}

/** The connection of a service to its OAuth 2 provider. */
export class Connection {
  @ApiProperty({ enum: CONNECTION_STATES, enumName: 'ConnectionState' })
  state: ConnectionState;

  /** When the access token ends; null if unknown. The gateway renews it before. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  expiresAt: string | null;

  /** The scopes that the provider granted. They may be fewer than `oauth.scopes`. */
  @ApiProperty({ type: [String] })
  scopes: string[];

  /** The person who signed in at the provider. */
  @ApiProperty({ type: () => Actor, nullable: true })
  connectedBy: Actor | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  connectedAt: string | null;

  /** Why the last attempt to get a token failed; null if it succeeded. */
  @ApiProperty({ nullable: true, type: String })
  error: string | null;
}

export class ConnectServiceResponse {
  /** Open it in the browser that made the request. */
  @ApiProperty({ format: 'uri' })
  url: string;
}

/** The client certificate of a service. */
export class Certificate {
  /** From this time on, requests fail. */
  @ApiProperty({ format: 'date-time' })
  validTo: string;
}

/** The credentials that were replaced last. They can be put back with `POST /services/:id/credentials/revert`. */
export class PreviousCredentialsInfo {
  /** When they are deleted. */
  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}
