/** Everything an agent can call. */
import { Module } from '@nestjs/common';

@Module({})
export class ProxyModule {}
