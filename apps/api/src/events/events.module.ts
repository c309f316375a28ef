/**
 * Live updates through PostgreSQL's LISTEN and NOTIFY, and the stream that the dashboard reads. Depends on auth (the
 * guard of its endpoint) and below.
 */
import { Module } from '@nestjs/common';
import { MembershipModule } from '../membership/membership.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { EventHub } from './event-hub.js';
import { EventsController } from './events.controller.js';

@Module({
  imports: [MembershipModule, CryptoModule],
  controllers: [EventsController],
  providers: [EventHub],
  exports: [EventHub],
})
export class EventsModule {}
