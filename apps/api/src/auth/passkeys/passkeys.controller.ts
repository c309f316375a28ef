import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CreatePasskeyRequest, MessageResponse, Passkey, PasskeyOptions, RenamePasskeyRequest } from '#contracts';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { IdPipe } from '../../platform/http/validation.js';
import { Confirmations } from '../confirmations.js';
import { CurrentUser, type AuthenticatedUser } from '../current-user.js';
import { JwtAuthGuard } from '../jwt-auth.guard.js';
import { readRequestOrigin } from '../request-origin.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { PasskeyRegistry } from './passkey-registry.js';
import { RelyingParty } from '../relying-party.js';

const registering = ({ sessionId }: AuthenticatedUser) => ({ purpose: 'register', sessionId }) as const;

@ApiTags('Accounts')
@ApiBearerAuth()
@UseGuards(JwtAuthGuard)
@Controller('auth/passkeys')
export class PasskeysController {
  constructor(
    private readonly site: RelyingParty,
    private readonly challenges: PasskeyChallenges,
    private readonly passkeys: PasskeyRegistry,
    private readonly confirmations: Confirmations,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the passkeys of this account' })
  @ApiOkResponse({ type: [Passkey] })
  @ApiErrors(401, 503)
  list(@CurrentUser() user: AuthenticatedUser): Promise<Passkey[]> {
    return this.passkeys.list(user);
  }

  @Post('options')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Begin to add a passkey. The session must be confirmed',
    description: 'Answer within five minutes, in the same browser: a cookie ties the answer to it.',
  })
  @ApiOkResponse({ type: PasskeyOptions })
  @ApiErrors(401, 403, 404, 503)
  async options(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentUser() user: AuthenticatedUser,
  ): Promise<PasskeyOptions> {
    this.site.assertAvailable();
    await this.confirmations.assertMayAddPasskey(user);
    const handle = await this.passkeys.findOrMakeHandle(user);
    const challenge = await this.challenges.start(registering(user), { request, response }, handle);
    return { options: await this.passkeys.options(user, challenge, handle) };
  }

  @Post()
  @ApiOperation({ summary: 'Add the passkey that the device has made' })
  @ApiCreatedResponse({ type: Passkey })
  @ApiErrors(400, 401, 404, 409, 503)
  async add(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentUser() user: AuthenticatedUser,
    @Body() body: CreatePasskeyRequest,
  ): Promise<Passkey> {
    const { clientDataJSON } = body.passkey.response;
    const spent = await this.challenges.spend(registering(user), { request, response }, clientDataJSON);
    return this.passkeys.add(user, body, spent, readRequestOrigin(request));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Rename a passkey' })
  @ApiOkResponse({ type: Passkey })
  @ApiErrors(400, 401, 404, 503)
  rename(
    @CurrentUser() user: AuthenticatedUser,
    @Param('id', new IdPipe()) id: number,
    @Body() { name }: RenamePasskeyRequest,
  ): Promise<Passkey> {
    return this.passkeys.rename(user, id, name);
  }

  @Delete(':id')
  @HttpCode(200)
  @ApiOperation({ summary: 'Remove a passkey from this account. The session must be confirmed' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 403, 404, 409, 503)
  async remove(
    @Req() request: Request,
    @CurrentUser() user: AuthenticatedUser,
    @Param('id', new IdPipe()) id: number,
  ): Promise<MessageResponse> {
    // Otherwise somebody with a stolen session could remove all passkeys and then add one, because a first passkey
    // needs no confirmation.
    await this.confirmations.assertConfirmed(null, user);
    await this.passkeys.remove(user, id, readRequestOrigin(request));
    return { message: 'Passkey removed' };
  }
}
