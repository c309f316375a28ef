import { Body, Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Confirmation, ConfirmRequest, PasskeyOptions, type PasskeyAssertion } from '#contracts';
import { errors } from '../../platform/errors.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { AccessEvents } from '../access-events.js';
import { AccountRegistry } from '../accounts.js';
import { Confirmations } from '../confirmations.js';
import { CurrentUser, type AuthenticatedUser } from '../current-user.js';
import { JwtAuthGuard } from '../jwt-auth.guard.js';
import { PasskeyAssertions } from './passkey-assertions.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { RelyingParty } from '../relying-party.js';
import { readRequestOrigin } from '../request-origin.js';

const confirming = ({ sessionId }: AuthenticatedUser) => ({ purpose: 'confirm', sessionId }) as const;

@ApiTags('Accounts')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('auth/confirm')
export class ConfirmationController {
  constructor(
    private readonly accounts: AccountRegistry,
    private readonly confirmations: Confirmations,
    private readonly site: RelyingParty,
    private readonly challenges: PasskeyChallenges,
    private readonly assertions: PasskeyAssertions,
    private readonly events: AccessEvents,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Get whether this session is confirmed, and how it can be' })
  @ApiOkResponse({ type: Confirmation })
  @ApiErrors(401, 503)
  state(@CurrentUser() user: AuthenticatedUser): Promise<Confirmation> {
    return this.confirmations.state(user);
  }

  @Post('options')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Begin to confirm with a passkey',
    description: 'Answer within five minutes, in the same browser: a cookie ties the answer to it.',
  })
  @ApiOkResponse({ type: PasskeyOptions })
  @ApiErrors(401, 404, 503)
  async options(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentUser() user: AuthenticatedUser,
  ): Promise<PasskeyOptions> {
    this.site.assertAvailable();
    const challenge = await this.challenges.start(confirming(user), { request, response });
    return { options: await this.assertions.options(challenge, user.id) };
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'Confirm with password or passkey that it is you. Holds for five minutes in this session' })
  @ApiOkResponse({ type: Confirmation })
  @ApiErrors(400, 401, 403, 404, 429, 503)
  async confirm(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentUser() user: AuthenticatedUser,
    @Body() { password, passkey }: ConfirmRequest,
  ): Promise<Confirmation> {
    if ((password === undefined) === (passkey === undefined)) throw errors.invalid('Send either password or passkey');
    if (password !== undefined) {
      const hash = await this.accounts.confirmPassword(user, password, readRequestOrigin(request));
      await this.confirmations.confirm(user, hash);
    } else {
      await this.assertPasskey(user, passkey!, request, response);
      await this.confirmations.confirm(user, null);
    }
    this.events.tell('session.confirmed', user, readRequestOrigin(request));
    return this.confirmations.state(user);
  }

  /** @throws ApiError 403, because a 401 would make the dashboard refresh its token */
  private async assertPasskey(
    user: AuthenticatedUser,
    passkey: PasskeyAssertion,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { clientDataJSON } = passkey.response;
    const { challenge } = await this.challenges.spend(confirming(user), { request, response }, clientDataJSON);
    const userId = await this.assertions.use(passkey, challenge, user.id, readRequestOrigin(request));
    if (userId === null) throw errors.passkeyNotConfirmed();
  }
}
