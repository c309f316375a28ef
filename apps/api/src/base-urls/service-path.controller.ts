import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { BaseUrlAgentKeyGuard } from '../agents/base-url-agent-key.js';
import { writeOutcome } from '../proxy/outcome-response.js';
import { RequestCounter } from '../proxy/request-counter.js';
import { ProxyPipeline } from '../proxy/proxy-pipeline.js';
import { ApiServicePath } from './api-service-path.js';
import { BaseUrlAnswers } from './base-url-answers.js';
import { callUnder, namedService } from './base-url-terms.js';
import { ServicePathGuard, type ServicePathRequest } from './service-path.guard.js';

/** The base URLs of services, for programs whose only setting is a base URL. They use the pipeline of `POST /proxy`. */
@ApiTags('Agents: requests')
@Controller('s')
export class ServicePathController {
  constructor(
    private readonly pipeline: ProxyPipeline,
    private readonly counter: RequestCounter,
    private readonly answers: BaseUrlAnswers,
  ) {}

  @All(':service{/*path}')
  @UseGuards(BaseUrlAgentKeyGuard, ServicePathGuard) // The first guard finds the agent, the second the request.
  @ApiServicePath()
  async send(@Req() request: ServicePathRequest, @Res() response: Response): Promise<void> {
    const { agent, answerRoom, requestId } = request;
    // As the last attempt found them.
    let current = agent;
    let call = request.proxyCall;
    const outcome = await answerRoom.during(async () => {
      const sent = await this.counter.count('base_url', agent, () =>
        this.pipeline.send(agent, (view) => (call = callUnder((current = view), request)), requestId),
      );
      return this.answers.translated(sent, request, call, namedService(current, call));
    });
    writeOutcome(response, outcome);
  }
}
