import { Controller, Delete, Get, HttpCode, Param, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { MessageResponse, RevokedSessionsResponse, Session } from '#contracts';
import { errors } from '../platform/errors.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { CurrentUser, type AuthenticatedUser } from './current-user.js';
import { JwtAuthGuard } from './jwt-auth.guard.js';
import { readRequestOrigin } from './request-origin.js';
import { SessionRegistry } from './sessions.js';
import { isUuid } from './tokens.js';

@ApiTags('Accounts')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('auth/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionRegistry) {}

  @Get()
  @ApiOperation({ summary: 'List the sessions of this account' })
  @ApiOkResponse({ type: [Session] })
  @ApiErrors(401, 503)
  list(@CurrentUser() user: AuthenticatedUser): Promise<Session[]> {
    return this.sessions.list(user);
  }

  @Delete()
  @HttpCode(200)
  @ApiOperation({ summary: 'End all sessions except this one' })
  @ApiOkResponse({ type: RevokedSessionsResponse })
  @ApiErrors(401, 503)
  async revokeOthers(
    @Req() request: Request,
    @CurrentUser() user: AuthenticatedUser,
  ): Promise<RevokedSessionsResponse> {
    const revoked = await this.sessions.endOthers(user, readRequestOrigin(request));
    return { message: `${revoked} other ${revoked === 1 ? 'session' : 'sessions'} ended`, revoked };
  }

  @Delete(':id')
  @HttpCode(200)
  @ApiOperation({ summary: 'End one session' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401, 404, 503)
  async revoke(
    @Req() request: Request,
    @CurrentUser() user: AuthenticatedUser,
    @Param('id') id: string,
  ): Promise<MessageResponse> {
    if (!isUuid(id)) throw errors.sessionNotFound();
    await this.sessions.revokeOne(user, id, readRequestOrigin(request));
    return { message: 'Session ended' };
  }
}
