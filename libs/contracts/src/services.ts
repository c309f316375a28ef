import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { isNotEmptyObject, ValidateIf } from 'class-validator';
import { Actor } from './actor.js';
import { ASKED_EFFECTS, type AskedEffect } from './effects.js';
import { Choice, Flag, Integer, OneLine, Text } from './fields.js';
import { CREDENTIAL_MASK } from './headers.js';
import { BASE_URL_MAX, PAUSE_REASON_MAX, ROTATE_EVERY_MAX_DAYS, SERVICE_NAME_MAX } from './limits.js';
import { Choices, Nested } from './nested-fields.js';
import {
  AuthSettings,
  BaseUrlDefaults,
  BaseUrlDefaultsRequest,
  Certificate,
  Connection,
  OAuthSettings,
  PreviousCredentialsInfo,
} from './service-auth.js';
import { Credentials, TestServiceRequest } from './service-credentials.js';
import {
  AUTH_TYPES,
  REQUEST_CODINGS,
  REWRITE_LINKS,
  type AuthType,
  type RequestCodings,
  type RewriteLinks,
} from './states.js';
import { AtLeastOneOf } from './validation.js';

export class CreateServiceRequest {
  /** By name. Values are stored encrypted. They can be left out for `none`, and for `oauth2` with `oauth`. */
  @ApiPropertyOptional()
  @ValidateIf((service: CreateServiceRequest) => needsCredentials(service) || isNotEmptyObject(service.credentials))
  @Credentials()
  credentials?: Record<string, string>;

  @Text({ min: 1, max: SERVICE_NAME_MAX })
  name: string;

  /** http or https, without user info, query or fragment. Agents can only reach URLs under this. */
  @Text({ format: 'uri', max: BASE_URL_MAX, example: 'https://api.example.com/v1' })
  baseUrl: string;

  @Choice(AUTH_TYPES, { name: 'AuthType' })
  authType: AuthType;

  /** Required for `custom`. Other types, except `none`, can have `clientCertificate` only. */
  @Nested(AuthSettings, { optional: true, nullable: true })
  auth?: AuthSettings | null;

  /** Only for `oauth2`: the gateway gets and renews the access token. */
  @Nested(OAuthSettings, { optional: true, nullable: true })
  oauth?: OAuthSettings | null;

  /**
   * After how many days the credentials should be replaced; null, the default: no reminder. Nothing stops working then.
   */
  @Integer({ optional: true, min: 1, max: ROTATE_EVERY_MAX_DAYS, nullable: true })
  rotateEveryDays?: number | null;

  /** Default, also with null: `keep` for services with AWS Signature V4, `decode` for others. */
  @Choice(REQUEST_CODINGS, { optional: true, name: 'RequestCodings', nullable: true })
  requestCodings?: RequestCodings | null;

  /** Default `headers`. */
  @Choice(REWRITE_LINKS, { optional: true, name: 'RewriteLinks', default: 'headers' })
  rewriteLinks?: RewriteLinks;

  /** Default: `required`, 0 seconds. */
  @Nested(BaseUrlDefaultsRequest, { optional: true })
  baseUrlDefaults?: BaseUrlDefaultsRequest;

  /** What people are asked about, whatever the score. Default: nothing. */
  @Choices(ASKED_EFFECTS, { optional: true, name: 'AskedEffect' })
  askFor?: AskedEffect[];
}

/** A service that is not registered yet, and the request to test it with. */
export class TestNewServiceRequest extends TestServiceRequest {
  /** As for `POST /services`, without `oauth`. Nothing of it is stored. */
  @Nested(CreateServiceRequest)
  service: CreateServiceRequest;
}

/** Whether a service must be created with credentials. */
const needsCredentials = ({ authType, oauth }: CreateServiceRequest): boolean =>
  authType !== 'none' && !(authType === 'oauth2' && oauth);

export class UpdateServiceRequest {
  @AtLeastOneOf([
    'name',
    'baseUrl',
    'authType',
    'auth',
    'oauth',
    'requestCodings',
    'rewriteLinks',
    'baseUrlDefaults',
    'rotateEveryDays',
    'askFor',
    'isPaused',
    'newCredentials',
  ])
  @Text({ optional: true, min: 1, max: SERVICE_NAME_MAX })
  name?: string;

  @Text({ optional: true, format: 'uri', max: BASE_URL_MAX })
  baseUrl?: string;

  @Choice(AUTH_TYPES, { optional: true, name: 'AuthType' })
  authType?: AuthType;

  /** Replaces the settings. Null removes them. */
  @Nested(AuthSettings, { optional: true, nullable: true })
  auth?: AuthSettings | null;

  /**
   * Adds credentials under names that are not stored yet, such as new keys of templates. Stored ones stay, and can't be
   * replaced here. Not for `oauth`.
   */
  @Credentials({ optional: true, example: { account: '<account>' } })
  newCredentials?: Record<string, string>;

  /** Replaces the settings; null removes them. Another client or provider ends the connection. */
  @Nested(OAuthSettings, { optional: true, nullable: true })
  oauth?: OAuthSettings | null;

  /** After how many days the credentials should be replaced; null: no reminder. Nothing stops working then. */
  @Integer({ optional: true, min: 1, max: ROTATE_EVERY_MAX_DAYS, nullable: true })
  rotateEveryDays?: number | null;

  /** null: `keep` for services with AWS Signature V4, `decode` for others. */
  @Choice(REQUEST_CODINGS, { optional: true, name: 'RequestCodings', nullable: true })
  requestCodings?: RequestCodings | null;

  @Choice(REWRITE_LINKS, { optional: true, name: 'RewriteLinks' })
  rewriteLinks?: RewriteLinks;

  @Nested(BaseUrlDefaultsRequest, { optional: true })
  baseUrlDefaults?: BaseUrlDefaultsRequest;

  /** What people are asked about, whatever the score. Replaces the list. */
  @Choices(ASKED_EFFECTS, { optional: true, name: 'AskedEffect' })
  askFor?: AskedEffect[];

  /** While it is paused, agents get 403 for every request to it. */
  @Flag({ optional: true })
  isPaused?: boolean;

  /** One line for agents and people; only with `isPaused: true`. Without it agents get the service's name. */
  @OneLine({ optional: true, max: PAUSE_REASON_MAX })
  pausedReason?: string;
}

export class Service {
  @ApiProperty()
  id: number;

  /** The person who made it. Null: the account was deleted. */
  @ApiProperty({ nullable: true, type: Number })
  userId: number | null;

  @ApiProperty()
  name: string;

  @ApiProperty({ format: 'uri' })
  baseUrl: string;

  @ApiProperty({ enum: AUTH_TYPES, enumName: 'AuthType' })
  authType: AuthType;

  /** How the credentials are injected, in addition to the auth type. */
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
   * Hosts that the service has moved to since its credentials were entered. Nothing is sent with the stored credentials
   * before a person confirms these hosts or replaces the credentials. Empty when nothing waits.
   */
  @ApiProperty({ type: [String], example: [] })
  unconfirmedHosts: string[];

  /**
   * The places where the gateway rewrites links. A link to a URL under the API's base URL becomes a link under the
   * service's base URL on the gateway. `headers`: in `Link`, `Location`, `Content-Location` and `Refresh`. `bodies`: in
   * these headers and in JSON bodies. Applies only to `/s/<service>`.
   */
  @ApiProperty({ enum: REWRITE_LINKS, enumName: 'RewriteLinks' })
  rewriteLinks: RewriteLinks;

  /**
   * How request bodies with a `Content-Encoding` are sent. `decode`: decoded, without that header. `keep`: as they came, if
   * they are exactly one gzip member without optional fields, or one zlib or br stream; rules read the coded bytes too.
   */
  @ApiProperty({ enum: REQUEST_CODINGS, enumName: 'RequestCodings' })
  requestCodings: RequestCodings;

  @ApiProperty({ type: BaseUrlDefaults })
  baseUrlDefaults: BaseUrlDefaults;

  /**
   * A request that does one of these needs approval whatever its score, unless an `allow` rule with a `pathPattern` or a
   * `when` matches it.
   */
  @ApiProperty({ enum: ASKED_EFFECTS, enumName: 'AskedEffect', isArray: true })
  askFor: AskedEffect[];

  /** When the credentials were last replaced, or first stored. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  credentialsRotatedAt: string | null;

  @ApiProperty({ type: Actor, nullable: true })
  credentialsRotatedBy: Actor | null;

  /** Whether the API answered 401 or 403 when the stored credentials were tested last (`POST /services/:id/test`). */
  @ApiProperty()
  credentialsRejected: boolean;

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
