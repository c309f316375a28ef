import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDefined, IsNumber, IsObject, IsOptional, IsString, Length, ValidateNested } from 'class-validator';
import { CALLBACK_URL_MAX } from './limits.js';

export class WebPushKey {
  /** The `applicationServerKey` with which browsers subscribe. */
  @ApiProperty({ example: 'BNbxGYNMhEIi9zrneh7mqV4oUanjLUK3m-mYZBc62frMKrEoMk88r3Lk596T0ck9xlT-aok0fO1KXBLV4-XqxYM' })
  publicKey: string;
}

export class WebPushSubscriptionKeys {
  @ApiProperty()
  @IsString()
  @Length(1, 200)
  p256dh: string;

  @ApiProperty()
  @IsString()
  @Length(1, 200)
  auth: string;
}

/** The result of `PushSubscription.toJSON()` in a browser. */
export class WebPushSubscription {
  /** Must be https. */
  @ApiProperty({ format: 'uri', maxLength: CALLBACK_URL_MAX })
  @IsString()
  @Length(1, CALLBACK_URL_MAX)
  endpoint: string;

  @ApiPropertyOptional({ nullable: true, type: Number })
  @IsOptional()
  @IsNumber()
  expirationTime?: number | null;

  @ApiProperty()
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => WebPushSubscriptionKeys)
  keys: WebPushSubscriptionKeys;
}
