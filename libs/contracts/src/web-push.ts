import { ApiProperty } from '@nestjs/swagger';
import { Decimal, Text } from './fields.js';
import { CALLBACK_URL_MAX } from './limits.js';
import { Nested } from './nested-fields.js';

export class WebPushKey {
  /** The `applicationServerKey` with which browsers subscribe. */
  @ApiProperty({ example: 'BNbxGYNMhEIi9zrneh7mqV4oUanjLUK3m-mYZBc62frMKrEoMk88r3Lk596T0ck9xlT-aok0fO1KXBLV4-XqxYM' })
  publicKey: string;
}

export class WebPushSubscriptionKeys {
  @Text({}, { min: 1, max: 200 })
  p256dh: string;

  @Text({}, { min: 1, max: 200 })
  auth: string;
}

/** The result of `PushSubscription.toJSON()` in a browser. */
export class WebPushSubscription {
  /** Must be https. */
  @Text({ format: 'uri', max: CALLBACK_URL_MAX }, { min: 1 })
  endpoint: string;

  @Decimal({ optional: true, nullable: true })
  expirationTime?: number | null;

  @Nested(WebPushSubscriptionKeys)
  keys: WebPushSubscriptionKeys;
}
