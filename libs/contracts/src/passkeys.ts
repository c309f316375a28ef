import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  Equals,
  IsArray,
  IsDefined,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { PASSKEY_NAME_MAX } from './limits.js';

const trimmed = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const base64url = { message: 'must be base64url' };

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

/** What the browser passes to the device (WebAuthn Level 3, 5.1.8 and 5.1.9). */
export class PasskeyOptions {
  /** For `navigator.credentials`, as JSON: `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON`. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  options: object;
}

class RegistrationResponse {
  @ApiProperty()
  @IsString()
  @Length(1, 8192)
  @Matches(BASE64URL, base64url)
  clientDataJSON: string;

  @ApiProperty()
  @IsString()
  @Length(1, 65_536)
  @Matches(BASE64URL, base64url)
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
  @ApiProperty()
  @IsString()
  @Length(1, 8192)
  @Matches(BASE64URL, base64url)
  clientDataJSON: string;

  @ApiProperty()
  @IsString()
  @Length(1, 8192)
  @Matches(BASE64URL, base64url)
  authenticatorData: string;

  @ApiProperty()
  @IsString()
  @Length(1, 8192)
  @Matches(BASE64URL, base64url)
  signature: string;

  @ApiPropertyOptional({ type: String, nullable: true })
  @IsOptional()
  @IsString()
  @MaxLength(128)
  userHandle?: string | null;
}

class PasskeyAnswer {
  @ApiProperty()
  @IsString()
  @Length(1, 2048)
  @Matches(BASE64URL, base64url)
  id: string;

  @ApiProperty()
  @IsString()
  @Length(1, 2048)
  @Matches(BASE64URL, base64url)
  rawId: string;

  @ApiProperty({ enum: ['public-key'] })
  @Equals('public-key')
  type: 'public-key';
}

/** What the browser returns when it has made a passkey: `RegistrationResponseJSON`. */
export class PasskeyRegistration extends PasskeyAnswer {
  @ApiProperty({ type: RegistrationResponse })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => RegistrationResponse)
  response: RegistrationResponse;
}

/** What the browser returns when the person has used a passkey: `AuthenticationResponseJSON`. */
export class PasskeyAssertion extends PasskeyAnswer {
  @ApiProperty({ type: AssertionResponse })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => AssertionResponse)
  response: AssertionResponse;
}

export class CreatePasskeyRequest {
  /** By which the person recognizes the device. */
  @ApiProperty({ minLength: 1, maxLength: PASSKEY_NAME_MAX })
  @Transform(trimmed)
  @IsString()
  @Length(1, PASSKEY_NAME_MAX)
  name: string;

  @ApiProperty({ type: PasskeyRegistration })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => PasskeyRegistration)
  passkey: PasskeyRegistration;
}

export class RenamePasskeyRequest {
  @ApiProperty({ minLength: 1, maxLength: PASSKEY_NAME_MAX })
  @Transform(trimmed)
  @IsString()
  @Length(1, PASSKEY_NAME_MAX)
  name: string;
}

export class PasskeyLoginRequest {
  @ApiProperty({ type: PasskeyAssertion })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => PasskeyAssertion)
  passkey: PasskeyAssertion;
}
