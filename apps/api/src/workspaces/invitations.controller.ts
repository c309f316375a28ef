import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import {
  CreatedInvitation,
  CreateInvitationRequest,
  Invitation,
  InvitationTokenRequest,
  MessageResponse,
  OpenedInvitation,
  RegisterRequest,
  UserResponse,
  WorkspaceSummary,
} from '#contracts';
import { AccountRegistry } from '../auth/accounts.js';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { PublicRoute } from '../auth/public-route.js';
import { readRequestOrigin } from '../auth/request-origin.js';
import { CurrentMember, type ActingMember } from '../membership/member.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { InvitationRegistry } from './invitation-registry.js';

const OWNER_OF_PATH = ['owner', { inPath: true, loggedIn: true }] as const;
const ID = { name: 'id', schema: { type: 'integer' } } as const;

@ApiTags('Workspaces')
@Controller()
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationRegistry,
    private readonly accounts: AccountRegistry,
  ) {}

  @Get('workspaces/:id/invitations')
  @Requires(...OWNER_OF_PATH)
  @UseGuards(MemberGuard)
  @ApiBearerAuth()
  @ApiParam(ID)
  @ApiOperation({ summary: 'List the invitations that nobody has accepted yet' })
  @ApiOkResponse({ type: [Invitation] })
  @ApiErrors(401)
  list(@CurrentMember() { workspaceId }: ActingMember): Promise<Invitation[]> {
    return this.invitations.list(workspaceId);
  }

  @Post('workspaces/:id/invitations')
  @Requires(...OWNER_OF_PATH)
  @UseGuards(MemberGuard)
  @ApiBearerAuth()
  @ApiParam(ID)
  @ApiOperation({ summary: 'Invite a person. Only this response contains the link' })
  @ApiCreatedResponse({ type: CreatedInvitation })
  @ApiErrors(401, 409)
  create(
    @CurrentMember() owner: ActingMember,
    @Body() body: CreateInvitationRequest,
    @Req() { requestId }: Request,
  ): Promise<CreatedInvitation> {
    return this.invitations.create(owner, body, requestId);
  }

  @Delete('workspaces/:id/invitations/:invitationId')
  @Requires(...OWNER_OF_PATH)
  @UseGuards(MemberGuard)
  @ApiBearerAuth()
  @ApiParam(ID)
  @ApiOperation({ summary: 'Revoke an invitation' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401)
  async delete(
    @CurrentMember() owner: ActingMember,
    @Param('invitationId', new IdPipe('invitationId')) invitationId: number,
    @Req() { requestId }: Request,
  ): Promise<MessageResponse> {
    await this.invitations.delete(owner, invitationId, requestId);
    return { message: 'Invitation deleted' };
  }

  @Post('invitations/open')
  @HttpCode(200)
  @PublicRoute()
  @ApiOperation({ summary: 'Read who invites to what, with the token of the link' })
  @ApiOkResponse({ type: OpenedInvitation })
  @ApiErrors(400, 404, 410)
  open(@Body() { token }: InvitationTokenRequest): Promise<OpenedInvitation> {
    return this.invitations.open(token);
  }

  @Post('invitations/accept')
  @HttpCode(200)
  @UseGuards(JwtAuthGuard)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Accept an invitation with the account that is logged in' })
  @ApiOkResponse({ type: WorkspaceSummary })
  @ApiErrors(400, 401, 403, 404, 409, 410)
  accept(
    @CurrentUser() user: AuthenticatedUser,
    @Body() { token }: InvitationTokenRequest,
    @Req() { requestId }: Request,
  ): Promise<WorkspaceSummary> {
    return this.invitations.accept(user, token, requestId);
  }

  @Post('auth/register')
  @PublicRoute()
  @ApiTags('Accounts')
  @ApiOperation({ summary: 'Create an account: the first one, with an invitation, or any one if registration is open' })
  @ApiCreatedResponse({ type: UserResponse })
  @ApiErrors(400, 403, 404, 409, 410, 503)
  async register(@Req() request: Request, @Body() body: RegisterRequest): Promise<UserResponse> {
    const { invitation } = body;
    const origin = readRequestOrigin(request);
    if (invitation === undefined || invitation === null) return { user: await this.accounts.register(body, origin) };
    await this.invitations.assertOpen(invitation, body.email);
    const user = await this.accounts.register(body, origin, (tx, person) =>
      this.invitations.acceptIn(tx, person, invitation, request.requestId),
    );
    return { user };
  }
}
