import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AgentUsage, AgentUsageQuery, AuditStats, AuditStatsQuery, ServiceUsage } from '#contracts';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { AuditFigures } from './audit-figures.js';
import { UsageReader } from './usage-reader.js';

@ApiTags('Audit')
@ApiBearerAuth()
@Controller('audit')
@UseGuards(JwtAuthGuard)
export class FiguresController {
  constructor(
    private readonly figures: AuditFigures,
    private readonly usage: UsageReader,
  ) {}

  @Get('stats')
  @ApiOperation({ summary: 'Get the figures of a range of time, by default the last seven days' })
  @ApiOkResponse({ type: AuditStats })
  @ApiErrors(400, 401)
  stats(@CurrentUser() user: AuthenticatedUser, @Query() query: AuditStatsQuery): Promise<AuditStats> {
    return this.figures.of(user.id, query);
  }

  @Get('usage/services')
  @ApiOperation({ summary: 'Get the usage of each service' })
  @ApiOkResponse({ type: [ServiceUsage] })
  @ApiErrors(401)
  serviceUsage(@CurrentUser() user: AuthenticatedUser): Promise<ServiceUsage[]> {
    return this.usage.services(user.id);
  }

  @Get('usage/agents')
  @ApiOperation({ summary: 'Get the usage of some agents' })
  @ApiOkResponse({ type: [AgentUsage] })
  @ApiErrors(400, 401)
  agentUsage(@CurrentUser() user: AuthenticatedUser, @Query() query: AgentUsageQuery): Promise<AgentUsage[]> {
    return this.usage.agents(user.id, query.agentIds.split(',').map(Number));
  }
}
