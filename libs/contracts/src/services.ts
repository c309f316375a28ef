import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmptyObject,
  IsObject,
  IsOptional,
  isNotEmptyObject,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { CREDENTIAL_MASK } from './headers.js';
import {
  BASE_URL_MAX,
  CREDENTIAL_GRACE_HOURS,
  CREDENTIAL_GRACE_MAX_HOURS,
  OAUTH_SCOPES_MAX,
  OAUTH_URL_MAX,
  PAUSE_REASON_MAX,
  PREFER_WAIT_MAX_SECONDS,
  ROTATE_EVERY_MAX_DAYS,
  SERVICE_NAME_MAX,
  TARGET_URL_MAX,
} from './limits.js';
import {
  AUTH_TYPES,
  BASE_URL_IDEMPOTENCIES,
  CONNECTION_STATES,
  HTTP_METHODS,
  OAUTH_GRANTS,
  REWRITE_LINKS,
  TOKEN_AUTHS,
  type AuthType,
  type BaseUrlIdempotency,
  type ConnectionState,
  type HttpMethod,
  type OAuthGrant,
  type RewriteLinks,
  type TokenAuth,
} from './states.js';
import { AtLeastOneOf, IsMissable, IsOneLine, IsStringMap, verbatim } from './validation.js';

const AWS_NAME = /^[a-z0-9-]{1,64}$/;

const credentialsRequired = verbatim('At least one credential is required');

export class ReplaceCredentialsRequest {
  /** All credentials of the service, by name. Stored credentials that are not in the request are removed. Values are stored encrypted. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { token: '<token>' } })
  @IsStringMap()
  @IsNotEmptyObject({ nullable: false }, credentialsRequired)
  credentials: Record<string, string>;
}

export class RotateCredentialsRequest extends ReplaceCredentialsRequest {
  /** How many hours the set before can be put back; 0: not at all. Until then it stays stored, encrypted. */
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: CREDENTIAL_GRACE_MAX_HOURS,
    default: CREDENTIAL_GRACE_HOURS,
  })
  @IsMissable()
  @IsInt()
  @Min(0)
  @Max(CREDENTIAL_GRACE_MAX_HOURS)
  graceHours?: number;
}

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
  @ApiPropertyOptional({ enum: BASE_URL_IDEMPOTENCIES, enumName: 'BaseUrlIdempotency' })
  @IsMissable()
  @IsIn(BASE_URL_IDEMPOTENCIES)
  idempotency?: BaseUrlIdempotency;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: PREFER_WAIT_MAX_SECONDS })
  @IsMissable()
  @IsInt()
  @Min(0)
  @Max(PREFER_WAIT_MAX_SECONDS)
  wait?: number;
}

/** Where requests to AWS are signed for. */
export class AwsSettings {
  @ApiProperty({ example: 'eu-central-1' })
  @Matches(AWS_NAME, { message: 'must have lower case letters, digits and hyphens' })
  region: string;

  /** The name that AWS uses in signatures. */
  @ApiProperty({ example: 's3' })
  @Matches(AWS_NAME, { message: 'must have lower case letters, digits and hyphens' })
  service: string;
}

/** How the gateway puts credentials into a request, beyond what the auth type says. It holds no secrets. */
export class AuthSettings {
  /** Headers to inject, by name. `{{key}}` stands for the stored credential of that name; several are possible. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { Authorization: 'token {{key}}' },
  })
  @IsMissable()
  @IsStringMap()
  headers?: Record<string, string>;

  /** Query parameters to inject, by name, in the same way. A parameter of the agent with such a name is dropped. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { api_key: '{{key}}' },
  })
  @IsMissable()
  @IsStringMap()
  query?: Record<string, string>;

  /**
   * Requests are signed (AWS Signature Version 4) with the credentials `access_key_id`, `secret_access_key` and, for temporary ones,
   * `session_token`.
   */
  @ApiPropertyOptional({ type: AwsSettings })
  @IsMissable()
  @IsObject()
  @ValidateNested()
  @Type(() => AwsSettings)
  aws?: AwsSettings;

  /** The gateway shows a certificate to the service: the credentials `client_cert` and `client_key`, in PEM. For any type but `none`. */
  @ApiPropertyOptional()
  @IsMissable()
  @IsBoolean()
  clientCertificate?: boolean;
}

/** How the gateway gets access tokens for a service of type `oauth2`. The secrets are among the service's credentials. */
export class OAuthSettings {
  @ApiProperty({ enum: OAUTH_GRANTS, enumName: 'OAuthGrant' })
  @IsIn(OAUTH_GRANTS)
  grant: OAuthGrant;

  /** Where a person allows the access. Required for `authorization_code`. */
  @ApiPropertyOptional({ format: 'uri', maxLength: OAUTH_URL_MAX })
  @IsMissable()
  @IsString()
  @MaxLength(OAUTH_URL_MAX)
  authorizationUrl?: string;

  @ApiProperty({ format: 'uri', maxLength: OAUTH_URL_MAX })
  @IsString()
  @MaxLength(OAUTH_URL_MAX)
  tokenUrl: string;

  @ApiProperty({ minLength: 1, maxLength: 512 })
  @IsString()
  @Length(1, 512)
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
  @ApiProperty({ enum: TOKEN_AUTHS, enumName: 'TokenAuth' })
  @IsIn(TOKEN_AUTHS)
  tokenAuth: TokenAuth;

  /** Parameters that the provider needs besides those of OAuth 2, for example to give a refresh token. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { access_type: 'offline' },
  })
  @IsMissable()
  @IsStringMap()
  extraParams?: Record<string, string>;
}

/** The connection of a service to its OAuth 2 provider. */
export class Connection {
  @ApiProperty({ enum: CONNECTION_STATES, enumName: 'ConnectionState' })
  state: ConnectionState;

  /** When the access token ends; null if unknown. The gateway renews it before. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  expiresAt: string | null;

  /** What the provider granted. It may be less than `oauth.scopes`. */
  @ApiProperty({ type: [String] })
  scopes: string[];

  /** Who signed in at the provider. */
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
  /** Requests fail from then on. */
  @ApiProperty({ format: 'date-time' })
  validTo: string;
}

/** The credentials that were replaced last. They can be put back with `POST /services/:id/credentials/revert`. */
export class PreviousCredentialsInfo {
  /** Then they are deleted. */
  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

export class CreateServiceRequest {
  /** By name. Values are stored encrypted. They can be left out for `none`, and for `oauth2` with `oauth`. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' }, example: { token: '<token>' } })
  @ValidateIf((service: CreateServiceRequest) => needsCredentials(service) || isNotEmptyObject(service.credentials))
  @IsStringMap()
  @IsNotEmptyObject({ nullable: false }, credentialsRequired)
  credentials?: Record<string, string>;

  @ApiProperty({ minLength: 1, maxLength: SERVICE_NAME_MAX })
  @IsString()
  @Length(1, SERVICE_NAME_MAX)
  name: string;

  /** http or https, without user info, query or fragment. Agents can only reach URLs under this. */
  @ApiProperty({ format: 'uri', maxLength: BASE_URL_MAX, example: 'https://api.example.com/v1' })
  @IsString()
  @MaxLength(BASE_URL_MAX)
  baseUrl: string;

  @ApiProperty({ enum: AUTH_TYPES, enumName: 'AuthType' })
  @IsIn(AUTH_TYPES)
  authType: AuthType;

  /** Required for `custom`. Other types, except `none`, can have `clientCertificate` only. */
  @ApiPropertyOptional({ type: AuthSettings, nullable: true })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => AuthSettings)
  auth?: AuthSettings | null;

  /** Only for `oauth2`: the gateway gets and renews the access token. */
  @ApiPropertyOptional({ type: OAuthSettings, nullable: true })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => OAuthSettings)
  oauth?: OAuthSettings | null;

  /** After how many days the credentials should be replaced; null, the default: no reminder. Nothing stops working then. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: ROTATE_EVERY_MAX_DAYS, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(ROTATE_EVERY_MAX_DAYS)
  rotateEveryDays?: number | null;

  /** Default `headers`. */
  @ApiPropertyOptional({ enum: REWRITE_LINKS, enumName: 'RewriteLinks', default: 'headers' })
  @IsMissable()
  @IsIn(REWRITE_LINKS)
  rewriteLinks?: RewriteLinks;

  /** Default: `required`, 0 seconds. */
  @ApiPropertyOptional({ type: BaseUrlDefaultsRequest })
  @IsMissable()
  @IsObject()
  @ValidateNested()
  @Type(() => BaseUrlDefaultsRequest)
  baseUrlDefaults?: BaseUrlDefaultsRequest;
}

/** Whether a service must be created with credentials. */
const needsCredentials = ({ authType, oauth }: CreateServiceRequest): boolean =>
  authType !== 'none' && !(authType === 'oauth2' && oauth);

export class UpdateServiceRequest {
  @ApiPropertyOptional({ minLength: 1, maxLength: SERVICE_NAME_MAX })
  @AtLeastOneOf([
    'name',
    'baseUrl',
    'authType',
    'auth',
    'oauth',
    'rewriteLinks',
    'baseUrlDefaults',
    'rotateEveryDays',
    'isPaused',
  ])
  @IsMissable()
  @IsString()
  @Length(1, SERVICE_NAME_MAX)
  name?: string;

  @ApiPropertyOptional({ format: 'uri', maxLength: BASE_URL_MAX })
  @IsMissable()
  @IsString()
  @MaxLength(BASE_URL_MAX)
  baseUrl?: string;

  @ApiPropertyOptional({ enum: AUTH_TYPES, enumName: 'AuthType' })
  @IsMissable()
  @IsIn(AUTH_TYPES)
  authType?: AuthType;

  /** Replaces the settings. Null removes them. */
  @ApiPropertyOptional({ type: AuthSettings, nullable: true })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => AuthSettings)
  auth?: AuthSettings | null;

  /** Replaces the settings; null removes them. Another client or provider ends the connection. */
  @ApiPropertyOptional({ type: OAuthSettings, nullable: true })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => OAuthSettings)
  oauth?: OAuthSettings | null;

  /** After how many days the credentials should be replaced; null: no reminder. Nothing stops working then. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: ROTATE_EVERY_MAX_DAYS, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(ROTATE_EVERY_MAX_DAYS)
  rotateEveryDays?: number | null;

  @ApiPropertyOptional({ enum: REWRITE_LINKS, enumName: 'RewriteLinks' })
  @IsMissable()
  @IsIn(REWRITE_LINKS)
  rewriteLinks?: RewriteLinks;

  @ApiPropertyOptional({ type: BaseUrlDefaultsRequest })
  @IsMissable()
  @IsObject()
  @ValidateNested()
  @Type(() => BaseUrlDefaultsRequest)
  baseUrlDefaults?: BaseUrlDefaultsRequest;

  /** While it is paused, agents get 403 for every request to it. */
  @ApiPropertyOptional()
  @IsMissable()
  @IsBoolean()
  isPaused?: boolean;

  /** One line for agents and people; only with `isPaused: true`. Without it agents get the service's name. */
  @ApiPropertyOptional({ minLength: 1, maxLength: PAUSE_REASON_MAX })
  @IsMissable()
  @IsOneLine(PAUSE_REASON_MAX)
  pausedReason?: string;
}

/** Who or what a record names. `id` is null if it was deleted; the name stays. */
export class Actor {
  @ApiProperty({ nullable: true, type: Number })
  id: number | null;

  @ApiProperty()
  name: string;
}

export class Service {
  @ApiProperty()
  id: number;

  /** The owner. */
  @ApiProperty()
  userId: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ format: 'uri' })
  baseUrl: string;

  @ApiProperty({ enum: AUTH_TYPES, enumName: 'AuthType' })
  authType: AuthType;

  /** How the credentials are injected, beyond what the auth type says. */
  @ApiProperty({ type: AuthSettings, nullable: true })
  auth: AuthSettings | null;

  /** How the gateway gets access tokens; null: a token is stored as a credential. */
  @ApiProperty({ type: OAuthSettings, nullable: true })
  oauth: OAuthSettings | null;

  /** Null if the service has no `oauth`. */
  @ApiProperty({ type: Connection, nullable: true })
  connection: Connection | null;

  /** Null if the service has none. */
  @ApiProperty({ type: Certificate, nullable: true })
  certificate: Certificate | null;

  /** The names of the stored credentials. Every value is the same mask. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', const: CREDENTIAL_MASK } as never,
    example: { token: CREDENTIAL_MASK },
  })
  credentials: Record<string, string>;

  /** Names of credentials that the auth type needs and that are not stored. Empty when the service is ready. */
  @ApiProperty({ type: [String] })
  missingCredentials: string[];

  /**
   * Where the gateway rewrites links. A link to a URL under the API's base URL becomes a link under the service's base URL on the
   * gateway. `headers`: in `Link`, `Location`, `Content-Location` and `Refresh`. `bodies`: in these headers and in JSON bodies. Applies
   * only to `/s/<service>`.
   */
  @ApiProperty({ enum: REWRITE_LINKS, enumName: 'RewriteLinks' })
  rewriteLinks: RewriteLinks;

  @ApiProperty({ type: BaseUrlDefaults })
  baseUrlDefaults: BaseUrlDefaults;

  /** When the credentials were last replaced, or first stored. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  credentialsRotatedAt: string | null;

  @ApiProperty({ type: Actor, nullable: true })
  credentialsRotatedBy: Actor | null;

  /** After how many days the credentials should be replaced; null: no reminder. */
  @ApiProperty({ type: 'integer', nullable: true })
  rotateEveryDays: number | null;

  /** `credentialsRotatedAt` and `rotateEveryDays` later; null: no reminder. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  rotationDueAt: string | null;

  /** Null: there is no set that can be put back. */
  @ApiProperty({ type: PreviousCredentialsInfo, nullable: true })
  previousCredentials: PreviousCredentialsInfo | null;

  /** While it is true, agents get 403 `Paused: <reason>` for every request to the service. */
  @ApiProperty()
  isPaused: boolean;

  /** Null: it is not paused, or nobody gave a reason. */
  @ApiProperty({ type: String, nullable: true })
  pausedReason: string | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  pausedAt: string | null;

  @ApiProperty({ type: Actor, nullable: true })
  pausedBy: Actor | null;

  /** How many requests the pause refused, counted up to 10,000. Only the response that ends a pause has it. */
  @ApiPropertyOptional({ type: 'integer' })
  refusedRequests?: number;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

export class ReplaceCredentialsResponse {
  @ApiProperty()
  message: string;

  @ApiProperty({ type: [String] })
  credentialKeys: string[];

  /** Keys that the auth type needs and that are still missing. Requests fail until they are stored. */
  @ApiProperty({ type: [String] })
  missingCredentials: string[];
}

export class TestServiceRequest {
  /** Default GET. Only methods that should not change anything are allowed. */
  @ApiPropertyOptional({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  @IsMissable()
  @IsIn(HTTP_METHODS)
  method?: HttpMethod;

  /** A path below the base URL that starts with `/`. It may have a query. Default: the base URL itself. */
  @ApiPropertyOptional({ example: '/me', maxLength: TARGET_URL_MAX })
  @IsMissable()
  @IsString()
  @MaxLength(TARGET_URL_MAX)
  @Matches(/^\//, { message: 'must start with /' })
  path?: string;
}

/** Credentials to test, and the request to test them with. */
export class TestCredentialsRequest extends TestServiceRequest {
  /** The complete set of credentials to test, by name. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { token: '<token>' } })
  @IsStringMap()
  @IsNotEmptyObject({ nullable: false }, credentialsRequired)
  credentials: Record<string, string>;
}

/** Exactly one of `status` (the upstream responded) and `reason` (it could not be reached) is set; the other is null. */
export class TestServiceResult {
  @ApiProperty({ nullable: true, type: Number })
  status: number | null;

  @ApiProperty()
  durationMs: number;

  @ApiProperty({ nullable: true, type: String })
  reason: string | null;
}
