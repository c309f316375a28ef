import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AgentUsage, AgentUsageQuery, AuditStats, AuditStatsQuery, ServiceUsage } from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { AuditFigures } from './audit-figures.js';
import { UsageReader } from './usage-reader.js';

@ApiTags('Audit')
@ApiBearerAuth()
@Controller('audit')
@UseGuards(MemberGuard)
export class FiguresController {
  constructor(
    private readonly figures: AuditFigures,
    private readonly usage: UsageReader,
  ) {}

  @Get('stats')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get the figures of a range of time, by default the last seven days' })
  @ApiOkResponse({ type: AuditStats })
  @ApiErrors(400, 401)
  stats(@CurrentMember() member: ActingMember, @Query() query: AuditStatsQuery): Promise<AuditStats> {
    return this.figures.of(member.workspaceId, query);
  }

  @Get('usage/services')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get the usage of each service' })
  @ApiOkResponse({ type: [ServiceUsage] })
  @ApiErrors(401)
  serviceUsage(@CurrentMember() member: ActingMember): Promise<ServiceUsage[]> {
    return this.usage.services(member.workspaceId);
  }

  @Get('usage/agents')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get the usage of some agents' })
  @ApiOkResponse({ type: [AgentUsage] })
  @ApiErrors(400, 401)
  agentUsage(@CurrentMember() member: ActingMember, @Query() query: AgentUsageQuery): Promise<AgentUsage[]> {
    return this.usage.agents(member.workspaceId, query.agentIds.split(',').map(Number));
  }
}
