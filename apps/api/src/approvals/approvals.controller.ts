import { Body, Controller, Get, Param, Patch, Query, Req, UseGuards } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request } from 'express';
import {
  Action,
  ActionContext,
  ActionCounts,
  ActionPage,
  ActionSummary,
  ActionSummaryPage,
  ActionViewQuery,
  ApproveActionRequest,
  DecisionRequest,
  ListActionsQuery,
} from '#contracts';
import { errors } from '../platform/errors.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ActionContexts } from './action-contexts.js';
import { ActionList } from './action-list.js';
import { ActionViews } from './action-views.js';
import { ApprovalQueue } from './approval-queue.js';
import { Decisions } from './decisions.js';
import { NOTIFICATION } from './via.js';

/** An answer that `view=summary` shortens. */
const eitherOf = (
  whole: typeof Action | typeof ActionPage,
  summary: typeof ActionSummary | typeof ActionSummaryPage,
) => ({
  schema: { anyOf: [{ $ref: getSchemaPath(whole) }, { $ref: getSchemaPath(summary) }] },
});

@ApiTags('Approvals')
@ApiExtraModels(Action, ActionSummary, ActionPage, ActionSummaryPage)
@ApiBearerAuth()
@Controller('approvals')
@UseGuards(MemberGuard)
export class ApprovalsController {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly actions: ActionList,
    private readonly contexts: ActionContexts,
    private readonly decisions: Decisions,
    private readonly views: ActionViews,
  ) {}

  @Get()
  @Requires('auditor')
  @ApiOperation({ summary: 'List held requests, by default the pending ones' })
  @ApiOkResponse(eitherOf(ActionPage, ActionSummaryPage))
  @ApiErrors(400, 401)
  list(
    @CurrentMember() member: ActingMember,
    @Query() query: ListActionsQuery,
  ): Promise<ActionPage | ActionSummaryPage> {
    return this.actions.page(member, query);
  }

  @Get('counts')
  @Requires('auditor')
  @ApiOperation({ summary: 'Count the actions that wait for a decision, and those that wait for their agent' })
  @ApiOkResponse({ type: ActionCounts })
  @ApiErrors(401)
  counts(@CurrentMember() member: ActingMember): Promise<ActionCounts> {
    return this.actions.counts(member);
  }

  @Get(':actionId')
  @Requires('auditor')
  @ApiOperation({ summary: 'Read one held request' })
  @ApiOkResponse(eitherOf(Action, ActionSummary))
  @ApiErrors(400, 401, 404)
  get(
    @CurrentMember() member: ActingMember,
    @Param('actionId') actionId: string,
    @Query() { view }: ActionViewQuery,
  ): Promise<Action | ActionSummary> {
    return this.views.read(member, actionId, view);
  }

  @Get(':actionId/context')
  @Requires('auditor')
  @ApiOperation({ summary: 'Get what helps to decide: documentation, novelty, similar decisions' })
  @ApiOkResponse({ type: ActionContext })
  @ApiErrors(401, 404)
  async context(@CurrentMember() member: ActingMember, @Param('actionId') actionId: string): Promise<ActionContext> {
    return this.contexts.of(member, await this.queue.ofWorkspace(member.workspaceId, actionId));
  }

  @Patch(':actionId/approve')
  @Requires('approver')
  @ApiOperation({
    summary:
      'Approve: with the last approval that it needs, the agent may execute it once, within the execution window',
  })
  @ApiBody({ type: ApproveActionRequest, required: false })
  @ApiOkResponse(eitherOf(Action, ActionSummary))
  @ApiErrors(400, 401, 404, 409)
  async approve(
    @CurrentMember() member: ActingMember,
    @Param('actionId') actionId: string,
    @Body() { note, digest, from, seen }: ApproveActionRequest,
    @Query() { view }: ActionViewQuery,
    @Req() request: Request,
  ): Promise<Action | ActionSummary> {
    if (from !== undefined && digest === undefined) throw errors.invalid('digest: must be given with from');
    if (seen !== undefined && digest === undefined) throw errors.invalid('digest: must be given with seen');
    const approval = { note: note ?? null, digest, seen, via: from && NOTIFICATION };
    const action = await this.decisions.approve(member, actionId, approval, request.requestId);
    return this.views.changed(member, action, view);
  }

  @Patch(':actionId/deny')
  @Requires('approver')
  @ApiOperation({ summary: 'Deny: the agent gets the denial with its note' })
  @ApiBody({ type: DecisionRequest, required: false })
  @ApiOkResponse(eitherOf(Action, ActionSummary))
  @ApiErrors(400, 401, 404, 409)
  async deny(
    @CurrentMember() member: ActingMember,
    @Param('actionId') actionId: string,
    @Body() { note }: DecisionRequest,
    @Query() { view }: ActionViewQuery,
    @Req() request: Request,
  ): Promise<Action | ActionSummary> {
    const action = await this.decisions.deny(member, actionId, note ?? null, request.requestId);
    return this.views.changed(member, action, view);
  }

  @Patch(':actionId/withdraw')
  @Requires('approver')
  @ApiOperation({ summary: 'Withdraw an approval that the agent has not used yet: the action becomes DENIED' })
  @ApiBody({ type: DecisionRequest, required: false })
  @ApiOkResponse(eitherOf(Action, ActionSummary))
  @ApiErrors(400, 401, 404, 409)
  async withdraw(
    @CurrentMember() member: ActingMember,
    @Param('actionId') actionId: string,
    @Body() { note }: DecisionRequest,
    @Query() { view }: ActionViewQuery,
    @Req() request: Request,
  ): Promise<Action | ActionSummary> {
    const action = await this.decisions.withdraw(member, actionId, note ?? null, request.requestId);
    return this.views.changed(member, action, view);
  }

  @Patch(':actionId/undo')
  @Requires('approver')
  @ApiOperation({
    summary:
      'Take back the own approval while the agent has not used it: the action waits again, and nobody has denied it',
  })
  @ApiOkResponse(eitherOf(Action, ActionSummary))
  @ApiErrors(400, 401, 404, 409)
  async undo(
    @CurrentMember() member: ActingMember,
    @Param('actionId') actionId: string,
    @Query() { view }: ActionViewQuery,
    @Req() request: Request,
  ): Promise<Action | ActionSummary> {
    const action = await this.decisions.undo(member, actionId, request.requestId);
    return this.views.changed(member, action, view);
  }
}
