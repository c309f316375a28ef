import { Body, Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccessToken, CreateAccessTokenRequest, CreatedAccessToken, MessageResponse } from '#contracts';
import { CurrentUser, type AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { AccessTokenRegistry } from './access-token-registry.js';

@ApiTags('Accounts')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('auth/tokens')
export class AccessTokensController {
  constructor(private readonly tokens: AccessTokenRegistry) {}

  @Get()
  @ApiOperation({ summary: 'List your personal access tokens' })
  @ApiOkResponse({ type: [AccessToken] })
  @ApiErrors(401, 403)
  list(@CurrentUser() user: AuthenticatedUser): Promise<AccessToken[]> {
    return this.tokens.list(user);
  }

  @Post()
  @ApiOperation({ summary: 'Create a personal access token. Only this response contains it' })
  @ApiCreatedResponse({ type: CreatedAccessToken })
  @ApiErrors(400, 401, 403, 404)
  create(
    @CurrentUser() user: AuthenticatedUser,
    @Body() body: CreateAccessTokenRequest,
    @Req() { requestId }: Request,
  ): Promise<CreatedAccessToken> {
    return this.tokens.create(user, body, requestId);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Revoke a personal access token' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(401, 403, 404)
  async delete(
    @CurrentUser() user: AuthenticatedUser,
    @Param('id', new IdPipe()) id: number,
    @Req() { requestId }: Request,
  ): Promise<MessageResponse> {
    await this.tokens.delete(user, id, requestId);
    return { message: 'Token revoked' };
  }
}
