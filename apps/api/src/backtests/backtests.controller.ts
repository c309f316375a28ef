import { Body, Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Backtest, BacktestRequest, CreateRiskRuleRequest, RulePreview } from '#contracts';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { alsoCheck, IdPipe } from '../platform/http/validation.js';
import { Backtests } from './backtests.js';

alsoCheck(BacktestRequest, 'rule', (_rule, { askFor }) =>
  askFor === undefined ? [] : ['rule: give either this or askFor'],
);

@ApiTags('Risk rules')
@ApiBearerAuth()
@UseGuards(MemberGuard)
@Controller('services/:id/risk-rules')
export class BacktestsController {
  constructor(private readonly backtests: Backtests) {}

  @Post('backtest')
  @Requires('approver')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Try an unsaved rule, or other effects to ask about, on the latest requests. Saves nothing',
  })
  @ApiOkResponse({ type: Backtest })
  @ApiErrors(400, 401, 403, 404, 413, 415, 429, 500, 503)
  run(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Body() request: BacktestRequest,
  ): Promise<Backtest> {
    return this.backtests.run(member, id, request);
  }

  @Post('preview')
  @Requires('approver')
  @HttpCode(200)
  @ApiOperation({ summary: 'Count how many of the latest requests a rule would match. Saves nothing' })
  @ApiOkResponse({ type: RulePreview })
  @ApiErrors(400, 401, 403, 404, 413, 415, 429, 500, 503)
  preview(
    @CurrentMember() member: ActingMember,
    @Param('id', new IdPipe()) id: number,
    @Body() request: CreateRiskRuleRequest,
  ): Promise<RulePreview> {
    return this.backtests.preview(member, id, request);
  }
}
