import { Body, Controller, Header, HttpCode, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { LoginResponse, PasskeyLoginRequest, PasskeyOptions } from '#contracts';
import { errors } from '../../platform/errors.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { AccessEvents } from '../access-events.js';
import { AccountRegistry } from '../accounts.js';
import { PublicRoute } from '../public-route.js';
import { RefreshCookieInterceptor } from '../refresh-cookie.interceptor.js';
import { readRequestOrigin } from '../request-origin.js';
import { SessionRegistry } from '../sessions.js';
import { PasskeyAssertions } from './passkey-assertions.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { RelyingParty } from '../relying-party.js';

const SIGN_IN = { purpose: 'sign_in', sessionId: null } as const;

@ApiTags('Accounts')
@Controller('auth/passkeys/login')
export class PasskeyLoginController {
  constructor(
    private readonly site: RelyingParty,
    private readonly challenges: PasskeyChallenges,
    private readonly assertions: PasskeyAssertions,
    private readonly accounts: AccountRegistry,
    private readonly sessions: SessionRegistry,
    private readonly events: AccessEvents,
  ) {}

  @Post('options')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @PublicRoute()
  @ApiOperation({
    summary: 'Begin to log in with a passkey',
    description: 'Answer within five minutes, in the same browser: a cookie ties the answer to it.',
  })
  @ApiOkResponse({ type: PasskeyOptions })
  @ApiErrors(403, 404, 503)
  async options(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<PasskeyOptions> {
    this.site.assertSignsIn();
    const challenge = await this.challenges.start(SIGN_IN, { request, response });
    return { options: await this.assertions.options(challenge, null) };
  }

  @Post()
  @HttpCode(200)
  @UseInterceptors(RefreshCookieInterceptor)
  @Header('Cache-Control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'Log in with a passkey. Also sets the refresh token as a cookie' })
  @ApiOkResponse({ type: LoginResponse })
  @ApiErrors(400, 401, 403, 404, 429, 503)
  async logIn(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() { passkey }: PasskeyLoginRequest,
  ): Promise<LoginResponse> {
    this.site.assertSignsIn();
    const origin = readRequestOrigin(request);
    const { challenge } = await this.challenges.spend(SIGN_IN, { request, response }, passkey.response.clientDataJSON);
    const userId = await this.assertions.use(passkey, challenge, null, origin);
    if (userId === null) throw errors.passkeyRefused();
    const tokens = await this.sessions.open({ id: userId, passwordHash: null }, origin);
    if (!tokens) throw errors.passkeyRefused();
    const user = await this.accounts.find(userId);
    this.events.tell('login', user, origin);
    return { ...tokens, user };
  }
}
