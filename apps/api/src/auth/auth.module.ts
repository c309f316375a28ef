/**
 * Who a person is: accounts, log-in, tokens, and the guard of every dashboard endpoint. Depends on platform and the libs.
 */
import { Module } from '@nestjs/common';
import { AccessEvents } from './access-events.js';

@Module({ providers: [AccessEvents], exports: [AccessEvents] })
export class AuthModule {}
