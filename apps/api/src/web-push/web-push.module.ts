/**
 * Web push: the key pair of the gateway, and messages encrypted for a browser. Knows no channels and sends nothing.
 * Depends on membership, crypto and below.
 */
import { Module } from '@nestjs/common';
import { CryptoModule } from '../crypto/crypto.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { VapidKeys } from './vapid-keys.js';
import { WebPushController } from './web-push.controller.js';

@Module({
  imports: [MembershipModule, CryptoModule],
  controllers: [WebPushController],
  providers: [VapidKeys],
  exports: [VapidKeys],
})
export class WebPushModule {}
