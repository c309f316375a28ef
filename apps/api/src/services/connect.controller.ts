import { Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ConnectServiceResponse, OAUTH_SIGN_IN_MINUTES } from '#contracts';
import { assertPublicHost } from '../auth/public-host.js';
import { PublicRoute } from '../auth/public-route.js';
import { findCookie } from '../auth/refresh-cookie.js';
import { HttpConfig } from '../platform/config.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { IdPipe } from '../platform/http/validation.js';
import { MemberGuard } from '../membership/member.guard.js';
import { Requires } from '../membership/requires.js';
import { Author, type ChangeAuthor } from '../membership/change-author.js';
import { ServiceRegistry } from './service-registry.js';
import { SignIns } from './sign-ins.js';

/** SameSite=Lax: the provider's page leads the browser back here. */
const COOKIE = { httpOnly: true, sameSite: 'lax', path: '/oauth' } as const;

@ApiTags('Services')
@Controller()
export class ConnectController {
  constructor(
    private readonly services: ServiceRegistry,
    private readonly signIns: SignIns,
    private readonly http: HttpConfig,
  ) {}

  @Post('services/:id/oauth/connect')
  @Requires('admin')
  @HttpCode(200)
  @ApiBearerAuth()
  @UseGuards(MemberGuard)
  @ApiOperation({
    summary: 'Begin to connect a service to its OAuth 2 provider',
    description: 'Open the URL in the same browser: a cookie ties the answer of the provider to it.',
  })
  @ApiOkResponse({ type: ConnectServiceResponse })
  @ApiErrors(400, 401, 403, 404, 500, 503)
  async connect(
    @Author() author: ChangeAuthor,
    @Param('id', new IdPipe()) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectServiceResponse> {
    assertPublicHost(request, this.http);
    const { url, cookie } = await this.signIns.start(author, await this.services.view(author.actor.workspaceId, id));
    const secure = this.http.publicUrl?.startsWith('https:') ?? false;
    response.cookie(cookie.name, cookie.value, { ...COOKIE, secure, maxAge: OAUTH_SIGN_IN_MINUTES * 60_000 });
    return { url };
  }

  /** Where the provider sends the browser back to. The cookie and the state are the authorization. */
  @Get('oauth/callback')
  @PublicRoute()
  @ApiOperation({ summary: 'Where an OAuth 2 provider sends the browser back to' })
  @ApiResponse({
    status: 303,
    description: 'To the service in the dashboard, with `connection=connected`, `denied` or `failed`',
  })
  @ApiErrors(400, 500, 503)
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    const at = request.originalUrl.indexOf('?');
    const answer = new URLSearchParams(at < 0 ? '' : request.originalUrl.slice(at));
    const { serviceId, outcome } = await this.signIns.finish(answer, (name) => findCookie(request, name));
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Location', `/dashboard/services/${serviceId}?connection=${outcome}`);
    response.status(303).end();
  }
}
