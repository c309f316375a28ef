/**
 * The base URLs of services, `/s/<service>/…`, for programs whose only setting is a base URL. Depends on `proxy` and
 * below.
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
