import { Body, Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Confirmation, ConfirmRequest } from '#contracts';
import { ApiErrors } from '../platform/http/api-errors.js';
import { AccessEvents } from './access-events.js';
import { AccountRegistry } from './accounts.js';
import { Confirmations } from './confirmations.js';
import { CurrentUser, type AuthenticatedUser } from './current-user.js';
import { JwtAuthGuard } from './jwt-auth.guard.js';
import { originOf } from './request-origin.js';

@ApiTags('Accounts')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('auth/confirm')
export class ConfirmationController {
  constructor(
    private readonly accounts: AccountRegistry,
    private readonly confirmations: Confirmations,
    private readonly events: AccessEvents,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Get whether this session is confirmed, and how it can be' })
  @ApiOkResponse({ type: Confirmation })
  @ApiErrors(401, 503)
  state(@CurrentUser() user: AuthenticatedUser): Promise<Confirmation> {
    return this.confirmations.state(user);
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'Confirm with the password that it is you. Holds for five minutes in this session' })
  @ApiOkResponse({ type: Confirmation })
  @ApiErrors(400, 401, 403, 429, 503)
  async confirm(
    @Req() request: Request,
    @CurrentUser() user: AuthenticatedUser,
    @Body() { password }: ConfirmRequest,
  ): Promise<Confirmation> {
    const hash = await this.accounts.confirmPassword(user, password, originOf(request));
    await this.confirmations.confirm(user, hash);
    this.events.tell('session.confirmed', user, originOf(request));
    return this.confirmations.state(user);
  }
}
