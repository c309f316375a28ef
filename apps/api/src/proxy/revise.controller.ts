import { Body, Controller, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Action, ReviseActionRequest } from '#contracts';
import { ActionViews } from '../approvals/action-views.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { Revisions } from './revisions.js';

/** In `proxy/`, because a revised request passes the checks of a request. */
@ApiTags('Approvals')
@ApiBearerAuth()
@Controller('approvals')
@UseGuards(MemberGuard)
export class ReviseController {
  constructor(
    private readonly revisions: Revisions,
    private readonly views: ActionViews,
  ) {}

  @Post(':actionId/revise')
  @Requires('approver')
  @ApiOperation({
    summary: 'Change a held request and approve what it becomes: a new action, which the agent executes',
  })
  @ApiCreatedResponse({ type: Action })
  @ApiErrors(400, 401, 403, 404, 409, 413, 415, 500, 503)
  async revise(
    @CurrentMember() member: ActingMember,
    @Param('actionId') actionId: string,
    @Body() change: ReviseActionRequest,
    @Req() request: Request,
  ): Promise<Action> {
    return this.views.shown(member, await this.revisions.revise(member, actionId, change, request.requestId));
  }
}
