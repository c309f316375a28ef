import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import {
  CreateWorkspaceRequest,
  Member as ListedMember,
  MessageResponse,
  PauseWorkspaceRequest,
  ResumedWorkspace,
  UpdateMemberRequest,
  UpdateWorkspaceRequest,
  Workspace,
  WorkspaceSummary,
} from '#contracts';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { MemberRegistry } from './member-registry.js';
import { WorkspacePause } from './workspace-pause.js';
import { WorkspaceRegistry } from './workspace-registry.js';

const IN_PATH = { inPath: true } as const;
const LOGGED_IN = { inPath: true, loggedIn: true } as const;
/** The guard reads it. */
const ID = { name: 'id', schema: { type: 'integer' } } as const;

@ApiTags('Workspaces')
@ApiBearerAuth()
@Controller('workspaces')
export class WorkspacesController {
  constructor(
    private readonly workspaces: WorkspaceRegistry,
    private readonly members: MemberRegistry,
    private readonly pauses: WorkspacePause,
  ) {}

  @Get()
  @UseGuards(JwtAuthGuard)
  @ApiOperation({ summary: 'List your workspaces. The first one is used for requests without a workspace header' })
  @ApiOkResponse({ type: [WorkspaceSummary] })
  @ApiErrors(401)
  list(@CurrentUser() user: AuthenticatedUser): Promise<WorkspaceSummary[]> {
    return this.workspaces.list(user.id);
  }

  @Post()
  @UseGuards(JwtAuthGuard)
  @ApiOperation({ summary: 'Create a workspace. You become its owner' })
  @ApiCreatedResponse({ type: Workspace })
  @ApiErrors(400, 401)
  create(
    @CurrentUser() user: AuthenticatedUser,
    @Body() body: CreateWorkspaceRequest,
    @Req() { requestId }: Request,
  ): Promise<Workspace> {
    return this.workspaces.create(user, body, requestId);
  }

  @Get(':id')
  @Requires('auditor', IN_PATH)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Get a workspace with its settings' })
  @ApiOkResponse({ type: Workspace })
  @ApiErrors(401)
  get(@CurrentMember() member: ActingMember): Promise<Workspace> {
    return this.workspaces.get(member);
  }

  @Put(':id')
  @Requires('owner', IN_PATH)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Rename a workspace, or change its settings' })
  @ApiOkResponse({ type: Workspace })
  @ApiErrors(401)
  update(
    @CurrentMember() owner: ActingMember,
    @Body() body: UpdateWorkspaceRequest,
    @Req() { requestId }: Request,
  ): Promise<Workspace> {
    return this.workspaces.update(owner, body, requestId);
  }

  @Delete(':id')
  @Requires('owner', LOGGED_IN)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Delete a workspace that has no services and no agents' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401, 409)
  async delete(@CurrentMember() owner: ActingMember, @Req() { requestId }: Request): Promise<MessageResponse> {
    await this.workspaces.delete(owner, requestId);
    return { message: 'Workspace deleted' };
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Requires('approver', IN_PATH)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Pause a workspace: from the next one on, every request of its agents is refused' })
  @ApiOkResponse({ type: Workspace })
  @ApiErrors(401)
  pause(
    @CurrentMember() member: ActingMember,
    @Body() { reason }: PauseWorkspaceRequest,
    @Req() { requestId }: Request,
  ): Promise<Workspace> {
    return this.pauses.pause(member, reason, requestId);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Requires('approver', IN_PATH)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'End the pause of a workspace. Approvers end only their own' })
  @ApiOkResponse({ type: ResumedWorkspace })
  @ApiErrors(401, 403, 409)
  resume(@CurrentMember() member: ActingMember, @Req() { requestId }: Request): Promise<ResumedWorkspace> {
    return this.pauses.resume(member, requestId);
  }

  @Get(':id/members')
  @Requires('auditor', IN_PATH)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'List the members of a workspace' })
  @ApiOkResponse({ type: [ListedMember] })
  @ApiErrors(401)
  listMembers(@CurrentMember() { workspaceId }: ActingMember): Promise<ListedMember[]> {
    return this.members.list(workspaceId);
  }

  @Put(':id/members/:userId')
  @Requires('owner', LOGGED_IN)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Change the role of a member' })
  @ApiOkResponse({ type: ListedMember })
  @ApiErrors(401, 409)
  changeRole(
    @CurrentMember() owner: ActingMember,
    @Param('userId', new IdPipe('userId')) userId: number,
    @Body() { role }: UpdateMemberRequest,
    @Req() { requestId }: Request,
  ): Promise<ListedMember> {
    return this.members.changeRole(owner, userId, role, requestId);
  }

  @Delete(':id/members/:userId')
  @HttpCode(200)
  @Requires('auditor', LOGGED_IN)
  @UseGuards(MemberGuard)
  @ApiParam(ID)
  @ApiOperation({ summary: 'Remove a member, or leave the workspace' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401, 409)
  async removeMember(
    @CurrentMember() member: ActingMember,
    @Param('userId', new IdPipe('userId')) userId: number,
    @Req() { requestId }: Request,
  ): Promise<MessageResponse> {
    await this.members.remove(member, userId, requestId);
    return { message: userId === member.id ? 'You left the workspace' : 'Member removed' };
  }
}
