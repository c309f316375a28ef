import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  CreateRiskRuleRequest,
  MessageResponse,
  RiskRule,
  RiskRuleVersion,
  RuleMatch,
  UpdateRiskRuleRequest,
} from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { RiskRuleRegistry } from './risk-rule-registry.js';
import { RuleMatches } from './rule-matches.js';
import { RuleVersions } from './rule-versions.js';

@ApiTags('Risk rules')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('services/:id/risk-rules')
export class RiskRulesController {
  constructor(
    private readonly rules: RiskRuleRegistry,
    private readonly versions: RuleVersions,
    private readonly matches: RuleMatches,
  ) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({ summary: 'List the risk rules of a service' })
  @ApiOkResponse({ type: [RiskRule] })
  @ApiErrors(400, 401, 404, 500, 503)
  list(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<RiskRule[]> {
    return this.rules.list(member.workspaceId, id);
  }

  @Get('matches')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get when each risk rule of a service last matched a request' })
  @ApiOkResponse({ type: [RuleMatch] })
  @ApiErrors(400, 401, 404, 500, 503)
  listMatches(@CurrentMember() member: ActingMember, @Param('id', new IdPipe()) id: number): Promise<RuleMatch[]> {
    return this.matches.list(member.workspaceId, id);
  }

  @Post()
  @Requires('approver')
  @ApiOperation({ summary: 'Add a risk rule' })
  @ApiCreatedResponse({ type: RiskRule })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  create(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Body() request: CreateRiskRuleRequest,
  ): Promise<RiskRule> {
    return this.rules.create(author, id, request);
  }

  @Put(':ruleId')
  @Requires('admin')
  @ApiOperation({ summary: 'Change a risk rule' })
  @ApiBody({ type: UpdateRiskRuleRequest })
  @ApiOkResponse({ type: RiskRule })
  @ApiErrors(400, 401, 404, 413, 415, 500, 503)
  update(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Param('ruleId', new IdPipe('ruleId')) ruleId: number,
    @Body() body: object,
  ): Promise<RiskRule> {
    return this.rules.update(author, id, ruleId, body);
  }

  @Get(':ruleId/versions')
  @Requires('auditor')
  @ApiOperation({ summary: 'List what a risk rule was after each change, the newest first' })
  @ApiOkResponse({ type: [RiskRuleVersion] })
  @ApiErrors(400, 401, 404, 500, 503)
  listVersions(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Param('ruleId', new IdPipe('ruleId')) ruleId: number,
  ): Promise<RiskRuleVersion[]> {
    return this.versions.list(member.workspaceId, id, ruleId);
  }

  @Post(':ruleId/versions/:version/restore')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({ summary: 'Change a risk rule to what it was' })
  @ApiOkResponse({ type: RiskRule })
  @ApiErrors(400, 401, 403, 404, 409, 500, 503)
  restore(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Param('ruleId', new IdPipe('ruleId')) ruleId: number,
    @Param('version', new IdPipe('version')) version: number,
  ): Promise<RiskRule> {
    return this.versions.restore(author, id, ruleId, version);
  }

  @Delete(':ruleId')
  @Requires('admin')
  @ApiOperation({ summary: 'Delete a risk rule' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 404, 500, 503)
  async delete(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Param('ruleId', new IdPipe('ruleId')) ruleId: number,
  ): Promise<MessageResponse> {
    await this.rules.delete(author, id, ruleId);
    return { message: 'Risk rule deleted' };
  }
}
