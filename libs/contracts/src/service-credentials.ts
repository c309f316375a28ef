import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsNotEmptyObject, IsString, MaxLength } from 'class-validator';
import { Choice, Integer, Text, type FieldOptions } from './fields.js';
import { CREDENTIAL_GRACE_HOURS, CREDENTIAL_GRACE_MAX_HOURS, TARGET_URL_MAX } from './limits.js';
import { StringMap } from './nested-fields.js';
import { HTTP_METHODS, type HttpMethod } from './states.js';
import { TrimmedLines, verbatim } from './validation.js';

/** The API, the token endpoint, and the sign-in page. */
const CREDENTIAL_HOSTS_MAX = 3;

/** Credentials by name: at least one. */
export const Credentials = (options: FieldOptions = {}): PropertyDecorator =>
  applyDecorators(
    IsNotEmptyObject({ nullable: false }, verbatim('At least one credential is required')),
    StringMap({ example: { token: '<token>' }, ...options }),
    TrimmedLines(),
  );

export class ReplaceCredentialsRequest {
  /**
   * All credentials of the service, by name. Stored credentials that are not in the request are removed. Values are
   * stored encrypted.
   */
  @Credentials()
  credentials: Record<string, string>;
}

export class RotateCredentialsRequest extends ReplaceCredentialsRequest {
  /** How many hours the previous set can be put back; 0: not at all. Until then it stays stored, encrypted. */
  @Integer({ optional: true, min: 0, max: CREDENTIAL_GRACE_MAX_HOURS, default: CREDENTIAL_GRACE_HOURS })
  graceHours?: number;
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

/** The hosts of `unconfirmedHosts`, as the person saw them. */
export class ConfirmCredentialsRequest {
  @ApiProperty({ type: [String], example: ['api.example.com'] })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(CREDENTIAL_HOSTS_MAX)
  @MaxLength(TARGET_URL_MAX, { each: true })
  @IsString({ each: true })
  hosts: string[];
}

export class TestServiceRequest {
  /** Default GET. Only methods that should not change anything are allowed. */
  @Choice(HTTP_METHODS, { optional: true, name: 'HttpMethod' })
  method?: HttpMethod;

  /** A path below the base URL that starts with `/`. It may have a query. Default: the base URL itself. */
  @Text({ optional: true, example: '/me', max: TARGET_URL_MAX }, { pattern: /^\//, message: 'must start with /' })
  path?: string;
}

/** Credentials to test, and the request to test them with. */
export class TestCredentialsRequest extends TestServiceRequest {
  /** The complete set of credentials to test, by name. */
  @Credentials()
  credentials: Record<string, string>;
}

/** Whether an OAuth provider accepts a client secret. `unknown`: its answer does not show it. */
const CLIENT_SECRET_VERDICTS = ['accepted', 'rejected', 'unknown'] as const;
export type ClientSecretVerdict = (typeof CLIENT_SECRET_VERDICTS)[number];

/**
 * Exactly one of `status` (the upstream responded) and `reason` (why there is no response) is set; the other is null.
 * Both are null if only the OAuth provider was asked, and accepts the client secret.
 */
export class TestServiceResult {
  @ApiProperty({ nullable: true, type: Number })
  status: number | null;

  @ApiProperty()
  durationMs: number;

  @ApiProperty({ nullable: true, type: String })
  reason: string | null;

  /** The OAuth provider's verdict on a client secret that is not stored yet. Missing: it was not asked. */
  @ApiPropertyOptional({ enum: CLIENT_SECRET_VERDICTS, enumName: 'ClientSecretVerdict' })
  clientSecret?: ClientSecretVerdict;
}
