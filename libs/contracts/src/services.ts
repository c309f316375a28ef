import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsNotEmptyObject,
  IsObject,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { CREDENTIAL_MASK } from './headers.js';
import { BASE_URL_MAX, PREFER_WAIT_MAX_SECONDS, SERVICE_NAME_MAX, TARGET_URL_MAX } from './limits.js';
import {
  AUTH_TYPES,
  BASE_URL_IDEMPOTENCIES,
  HTTP_METHODS,
  REWRITE_LINKS,
  type AuthType,
  type BaseUrlIdempotency,
  type HttpMethod,
  type RewriteLinks,
} from './states.js';
import { AtLeastOneOf, IsMissable, IsStringMap, verbatim } from './validation.js';

const credentialsRequired = verbatim('At least one credential is required');

export class ReplaceCredentialsRequest {
  /** All credentials of the service, by name; names that are not sent are removed. Values are stored encrypted. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { token: '<token>' } })
  @IsStringMap()
  @IsNotEmptyObject({ nullable: false }, credentialsRequired)
  credentials: Record<string, string>;
}

/** What a request through the base URL of a service means where the URL says nothing. */
export class BaseUrlDefaults {
  /** `none`: POST and PATCH need no idempotency key, and each HTTP request is one of its own. */
  @ApiProperty({ enum: BASE_URL_IDEMPOTENCIES, enumName: 'BaseUrlIdempotency' })
  idempotency: BaseUrlIdempotency;

  /** Seconds that a held request waits for the decision; 0: it does not wait. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: PREFER_WAIT_MAX_SECONDS })
  wait: number;
}

/** Fields that are not sent keep their values. */
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

export class CreateServiceRequest extends ReplaceCredentialsRequest {
  @ApiProperty({ minLength: 1, maxLength: SERVICE_NAME_MAX })
  @IsString()
  @Length(1, SERVICE_NAME_MAX)
  name: string;

  /** http or https, without user info, query or fragment. Agents reach what lies below it. */
  @ApiProperty({ format: 'uri', maxLength: BASE_URL_MAX, example: 'https://api.example.com/v1' })
  @IsString()
  @MaxLength(BASE_URL_MAX)
  baseUrl: string;

  @ApiProperty({ enum: AUTH_TYPES, enumName: 'AuthType' })
  @IsIn(AUTH_TYPES)
  authType: AuthType;

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

export class UpdateServiceRequest {
  @ApiPropertyOptional({ minLength: 1, maxLength: SERVICE_NAME_MAX })
  @AtLeastOneOf(['name', 'baseUrl', 'authType', 'rewriteLinks', 'baseUrlDefaults'])
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
}

/** Who did something: `id` is null when the account is gone. */
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

  /** The stored names; every value is the fixed mask. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', const: CREDENTIAL_MASK } as never,
    example: { token: CREDENTIAL_MASK },
  })
  credentials: Record<string, string>;

  /** Names that the auth type needs and that are not stored; empty when the service is ready. */
  @ApiProperty({ type: [String] })
  missingCredentials: string[];

  /**
   * Where links of the API that lead below its base URL are rewritten to the service's base URL on the gateway: in the headers
   * `Link`, `Location`, `Content-Location` and `Refresh`, or in those and in JSON bodies. Holds for `/s/<service>` only.
   */
  @ApiProperty({ enum: REWRITE_LINKS, enumName: 'RewriteLinks' })
  rewriteLinks: RewriteLinks;

  @ApiProperty({ type: BaseUrlDefaults })
  baseUrlDefaults: BaseUrlDefaults;

  /** When the credentials were last replaced (or first stored). */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  credentialsRotatedAt: string | null;

  @ApiProperty({ type: Actor, nullable: true })
  credentialsRotatedBy: Actor | null;

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

  /** Keys that the auth type needs and that were not among them: requests fail until they are. */
  @ApiProperty({ type: [String] })
  missingCredentials: string[];
}

export class TestServiceRequest {
  /** Default GET. Only methods that should change nothing. */
  @ApiPropertyOptional({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  @IsMissable()
  @IsIn(HTTP_METHODS)
  method?: HttpMethod;

  /** Below the base URL, starting with `/`; default: the base URL itself. May carry a query. */
  @ApiPropertyOptional({ example: '/me', maxLength: TARGET_URL_MAX })
  @IsMissable()
  @IsString()
  @MaxLength(TARGET_URL_MAX)
  @Matches(/^\//, { message: 'must start with /' })
  path?: string;
}

/** A set of credentials to try, and with which request. */
export class TestCredentialsRequest extends TestServiceRequest {
  /** All credentials that would be stored, by name. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { token: '<token>' } })
  @IsStringMap()
  @IsNotEmptyObject({ nullable: false }, credentialsRequired)
  credentials: Record<string, string>;
}

/** Either `status` (the upstream answered) or `reason` (it could not be asked) is not null. */
export class TestServiceResult {
  @ApiProperty({ nullable: true, type: Number })
  status: number | null;

  @ApiProperty()
  durationMs: number;

  @ApiProperty({ nullable: true, type: String })
  reason: string | null;
}
