/**
 * The base URLs of services, `/s/<service>/…`, for programs that can change nothing else. Depends on `proxy` and everything below
 * it.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { BaseUrlAnswers } from './base-url-answers.js';
import { ServicePathController } from './service-path.controller.js';

@Module({
  imports: [AgentsModule, ProxyModule],
  controllers: [ServicePathController],
  providers: [BaseUrlAnswers],
})
export class BaseUrlsModule {}
