import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RuleLimitUse } from '#contracts';
import { MemberGuard } from '../../membership/member.guard.js';
import { CurrentMember, type ActingMember } from '../../membership/member.js';
import { Requires } from '../../membership/requires.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { IdPipe } from '../../platform/http/validation.js';
import { ServiceLimits } from './service-limits.js';

@ApiTags('Risk rules')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('services/:id/risk-rules/limits')
export class LimitsController {
  constructor(private readonly limits: ServiceLimits) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({ summary: 'Get what agents have used of the limits of a service in their current windows' })
  @ApiOkResponse({ type: [RuleLimitUse] })
  @ApiErrors(400, 401, 404, 500, 503)
  list(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<RuleLimitUse[]> {
    return this.limits.list(member.workspaceId, id);
  }
}
