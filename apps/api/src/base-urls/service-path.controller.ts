import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { IDEMPOTENCY_STATUS_HEADER } from '#contracts';
import { BaseUrlAgentKeyGuard } from '../agents/base-url-agent-key.js';
import { writeOutcome } from '../proxy/outcome-response.js';
import { ProxyPipeline } from '../proxy/proxy-pipeline.js';
import type { ServiceView } from '../services/service-view.js';
import { ApiServicePath } from './api-service-path.js';
import { BaseUrlAnswers } from './base-url-answers.js';
import { underDefaults } from './base-url-terms.js';
import { namedService, ServicePathGuard, type ServicePathRequest } from './service-path.guard.js';

/** The base URLs of services, for programs whose only setting is a base URL. They use the pipeline of `POST /proxy`. */
@ApiTags('Agents: requests')
@Controller('s')
export class ServicePathController {
  constructor(
    private readonly pipeline: ProxyPipeline,
    private readonly answers: BaseUrlAnswers,
  ) {}

  @All(':service{/*path}')
  @UseGuards(BaseUrlAgentKeyGuard, ServicePathGuard) // The first guard finds the agent, the second the request.
  @ApiServicePath()
  async send(@Req() request: ServicePathRequest, @Res() response: Response): Promise<void> {
    // The named service, as the last attempt found it.
    let service: ServiceView | undefined;
    const outcome = await request.agentLoad.during(() =>
      this.pipeline.send(request.agent, (agent) => {
        service = namedService(agent, request.proxyCall);
        const call = underDefaults(agent, service, request);
        if (call.idempotencyKey !== null) response.setHeader(IDEMPOTENCY_STATUS_HEADER, 'processed');
        return call;
      }),
    );
    writeOutcome(response, this.answers.translated(outcome, request, service));
  }
}
