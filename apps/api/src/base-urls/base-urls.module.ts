/**
 * The base URLs of services, `/s/<service>/…`, for programs that can change nothing else. Depends on `proxy` and everything below
 * it.
 */
import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { BaseUrlInterceptor } from './base-url.interceptor.js';
import { BaseUrlTerms } from './base-url-terms.js';
import { ServicePathController } from './service-path.controller.js';

@Module({
  imports: [AgentsModule, ProxyModule],
  controllers: [ServicePathController],
  providers: [BaseUrlInterceptor, BaseUrlTerms],
})
export class BaseUrlsModule {}
