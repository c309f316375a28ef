import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AGENT_KEY_HEADER, AgentDescription } from '#contracts';
import type { AgentView } from '../agents/agent-directory.js';
import { AGENT_KEY_SCHEME } from '../agents/agent-key-scheme.js';
import { CurrentAgent } from '../agents/agent-key.guard.js';
import { PublicRoute } from '../auth/public-route.js';
import { HttpConfig } from '../platform/config.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { DESCRIPTION } from './api-examples.js';
import { AgentDescriber } from './agent-description.js';
import { AgentIfShownGuard, CallingAgentGuard } from './calling-agent.guard.js';
import { gatewayUrl } from './gateway-url.js';
import { llms, skill, type GuideFacts } from './guide.js';

const ownKey = ApiHeader({
  name: AGENT_KEY_HEADER,
  description: 'Optional. With your key, the guide contains your services. A wrong key is refused',
  required: false,
  schema: { type: 'string' },
});

@ApiTags('Agents: discovery')
@Controller()
export class DiscoveryController {
  constructor(
    private readonly describer: AgentDescriber,
    private readonly config: HttpConfig,
  ) {}

  @Get('agent')
  @UseGuards(CallingAgentGuard)
  @ApiSecurity(AGENT_KEY_SCHEME)
  @ApiOperation({ summary: 'Get your own agent: its services, their rules, limits and links' })
  @ApiOkResponse({ type: AgentDescription, example: DESCRIPTION })
  @ApiErrors(401, 403, 500, 503)
  agent(@CurrentAgent() agent: AgentView, @Req() request: Request): AgentDescription {
    return this.describer.describe(agent, gatewayUrl(this.config, request));
  }

  @Get('SKILL.md')
  @PublicRoute()
  @UseGuards(AgentIfShownGuard)
  @ownKey
  @ApiOperation({ summary: 'Get the guide to this gateway, written for a language model' })
  @ApiOkResponse({ description: 'Markdown', content: { 'text/markdown': { schema: { type: 'string' } } } })
  @ApiErrors(401, 403)
  skill(@Req() request: Request, @Res() response: Response): void {
    response.type('text/markdown; charset=utf-8').send(skill(this.facts(request)));
  }

  @Get('llms.txt')
  @PublicRoute()
  @UseGuards(AgentIfShownGuard)
  @ownKey
  @ApiOperation({ summary: 'Get a short version of the guide, with links (llmstxt.org)' })
  @ApiOkResponse({ description: 'Plain text', content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiErrors(401, 403)
  llms(@Req() request: Request, @Res() response: Response): void {
    response.type('text/plain; charset=utf-8').send(llms(this.facts(request)));
  }

  private facts(request: Request): GuideFacts {
    const url = gatewayUrl(this.config, request);
    // Undefined if the request has no key.
    const agent = (request as Partial<Request>).agent;
    return {
      gatewayUrl: url,
      limits: this.describer.limits(),
      agent: agent === undefined ? null : this.describer.describe(agent, url),
    };
  }
}
