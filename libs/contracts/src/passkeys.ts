import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, Equals, IsArray, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { Text } from './fields.js';
import { PASSKEY_NAME_MAX } from './limits.js';
import { Nested } from './nested-fields.js';
import { Trimmed } from './validation.js';

/** Text in base64url, of at most `max` characters. */
const Base64Url = (max: number): PropertyDecorator =>
  applyDecorators(
    ApiProperty(),
    IsString(),
    Length(1, max),
    Matches(/^[A-Za-z0-9_-]+$/, { message: 'must be base64url' }),
  );

/** The name by which a person recognizes a device. */
const PasskeyName = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ minLength: 1, maxLength: PASSKEY_NAME_MAX }),
    Trimmed(),
    IsString(),
    Length(1, PASSKEY_NAME_MAX),
  );

/** A way to sign in without a password, on a device of the person. */
export class Passkey {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  /** When the person last signed in or confirmed with it. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  lastUsedAt: string | null;
}

/** The options that the browser passes to the device (WebAuthn Level 3, 5.1.8 and 5.1.9). */
export class PasskeyOptions {
  /**
   * For `navigator.credentials`, as JSON: `PublicKeyCredentialCreationOptionsJSON` or
   * `PublicKeyCredentialRequestOptionsJSON`.
   */
  @ApiProperty({ type: 'object', additionalProperties: true })
  options: object;
}

class RegistrationResponse {
  @Base64Url(8192)
  clientDataJSON: string;

  @Base64Url(65_536)
  attestationObject: string;

  @ApiPropertyOptional({ type: [String] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @MaxLength(32, { each: true })
  transports?: string[];
}

class AssertionResponse {
  @Base64Url(8192)
  clientDataJSON: string;

  @Base64Url(8192)
  authenticatorData: string;

  @Base64Url(8192)
  signature: string;

  @Text({ optional: true, nullable: true }, { max: 128 })
  userHandle?: string | null;
}

class PasskeyAnswer {
  @Base64Url(2048)
  id: string;

  @Base64Url(2048)
  rawId: string;

  @ApiProperty({ enum: ['public-key'] })
  @Equals('public-key')
  type: 'public-key';
}

/** The browser's answer after it has made a passkey: `RegistrationResponseJSON`. */
export class PasskeyRegistration extends PasskeyAnswer {
  @Nested(RegistrationResponse)
  response: RegistrationResponse;
}

/** The browser's answer after the person has used a passkey: `AuthenticationResponseJSON`. */
export class PasskeyAssertion extends PasskeyAnswer {
  @Nested(AssertionResponse)
  response: AssertionResponse;
}

export class CreatePasskeyRequest {
  @PasskeyName()
  name: string;

  @Nested(PasskeyRegistration)
  passkey: PasskeyRegistration;
}

export class RenamePasskeyRequest {
  @PasskeyName()
  name: string;
}

export class PasskeyLoginRequest {
  @Nested(PasskeyAssertion)
  passkey: PasskeyAssertion;
}
