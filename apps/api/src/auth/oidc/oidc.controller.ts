import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuthMethods, Identity, LinkIdentityResponse, MessageResponse, OAUTH_SIGN_IN_MINUTES } from '#contracts';
import { AuthConfig, HttpConfig } from '../../platform/config.js';
import { errors } from '../../platform/errors.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { IdPipe } from '../../platform/http/validation.js';
import { Log } from '../../platform/logging.js';
import { AccessEvents } from '../access-events.js';
import { Confirmations } from '../confirmations.js';
import { CurrentUser, type AuthenticatedUser } from '../current-user.js';
import { JwtAuthGuard } from '../jwt-auth.guard.js';
import { RelyingParty } from '../relying-party.js';
import { assertPublicHost, isAtOtherHost } from '../public-host.js';
import { PublicRoute } from '../public-route.js';
import { findCookie, setRefreshCookie } from '../refresh-cookie.js';
import { readRequestOrigin } from '../request-origin.js';
import { SessionRegistry } from '../sessions.js';
import { IdentityRegistry } from './identities.js';
import { OidcSignIns, type OidcSignInStart } from './oidc-sign-ins.js';
import { SignInError } from './sign-in-error.js';
import { safeReturnTo } from './return-to.js';

const SETTINGS_PAGE = '/dashboard/settings/security';
/** Where a person accepts an invitation. */
const INVITATION_PAGE = '/dashboard/invitations';

@ApiTags('Accounts')
@Controller('auth')
export class OidcController {
  constructor(
    private readonly auth: AuthConfig,
    private readonly http: HttpConfig,
    private readonly confirmations: Confirmations,
    private readonly identities: IdentityRegistry,
    private readonly signIns: OidcSignIns,
    private readonly sessions: SessionRegistry,
    private readonly events: AccessEvents,
    private readonly site: RelyingParty,
    private readonly log: Log,
  ) {}

  @Get('methods')
  @PublicRoute()
  @ApiOperation({ summary: 'List the ways to log in' })
  @ApiOkResponse({ type: AuthMethods })
  methods(): AuthMethods {
    const { passwordLogin, oidc } = this.auth;
    return { password: passwordLogin, oidc: oidc && { name: oidc.name }, passkeys: this.site.signsIn };
  }

  @Get('oidc/start')
  @PublicRoute()
  @ApiOperation({ summary: 'Begin to sign in with the OpenID provider. For browsers' })
  @ApiQuery({ name: 'moved', required: false, description: 'Set when the browser came from another host' })
  @ApiQuery({ name: 'returnTo', required: false, description: 'The page of the dashboard that follows' })
  @ApiResponse({ status: 302, description: 'To the provider, or to the log-in page with `error=<code>`' })
  @ApiErrors(404, 503)
  async start(
    @Query('returnTo') returnTo: unknown,
    @Query('moved') moved: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.assertOn();
    if (isAtOtherHost(request, this.http)) {
      const { publicUrl } = this.http;
      // Redirects only once. If a proxy does not pass on the host, the host is wrong after every redirect.
      if (moved === undefined) {
        const query = new URLSearchParams({ returnTo: safeReturnTo(returnTo), moved: 'true' });
        return redirect(response, `${publicUrl}/auth/oidc/start?${query.toString()}`);
      }
      this.log.warn(
        { host: request.hostname, publicUrl },
        'sign-in: the proxy does not pass on the host of PUBLIC_URL',
      );
    }
    try {
      const started = await this.signIns.start(safeReturnTo(returnTo), null);
      this.setCookie(response, started);
      redirect(response, started.url);
    } catch (error) {
      this.toPage(response, '/dashboard/login', error);
    }
  }

  /** Where the provider sends the browser back to. The cookie and the state are the authorization. */
  @Get('oidc/callback')
  @PublicRoute()
  @ApiOperation({ summary: 'Where the OpenID provider sends the browser back to' })
  @ApiResponse({ status: 302, description: 'To the dashboard, or to the log-in page with `error=<code>`' })
  @ApiErrors(404, 503)
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    this.assertOn();
    const at = request.originalUrl.indexOf('?');
    const search = at < 0 ? '' : request.originalUrl.slice(at);
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'no-store');
    let page = '/dashboard/login';
    try {
      const spent = await this.signIns.spend(search, (name) => findCookie(request, name));
      if (spent.sessionId !== null) {
        page = SETTINGS_PAGE;
        await this.identities.link(await spent.identity(), spent.sessionId, readRequestOrigin(request));
        redirect(response, `${SETTINGS_PAGE}?linked=true`);
        return;
      }
      const person = await this.identities.signIn(await spent.identity(), readRequestOrigin(request));
      const tokens = await this.sessions.open({ id: person.id, passwordHash: null }, readRequestOrigin(request));
      if (!tokens) throw new SignInError('sign_in_expired');
      this.events.tell('login', person, readRequestOrigin(request));
      setRefreshCookie(request, response, tokens.refreshToken, this.auth.refreshTtlSeconds);
      // The sign-in has accepted it.
      const isDone = person.invited && spent.returnTo === INVITATION_PAGE;
      redirect(response, isDone ? '/dashboard/' : spent.returnTo);
    } catch (error) {
      this.toPage(response, page, error);
    }
  }

  @Post('oidc/link')
  @HttpCode(200)
  @ApiBearerAuth()
  @UseGuards(JwtAuthGuard)
  @ApiOperation({
    summary: 'Begin to link the OpenID provider to this account. The session must be confirmed',
    description: 'Open the URL in the same browser: a cookie ties the answer of the provider to it.',
  })
  @ApiOkResponse({ type: LinkIdentityResponse })
  @ApiErrors(400, 401, 403, 404, 503)
  async link(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentUser() user: AuthenticatedUser,
  ): Promise<LinkIdentityResponse> {
    this.assertOn();
    assertPublicHost(request, this.http);
    await this.confirmations.assertConfirmed(null, user);
    try {
      const started = await this.signIns.start(SETTINGS_PAGE, user.sessionId);
      this.setCookie(response, started);
      return { url: started.url };
    } catch (error) {
      if (error instanceof SignInError) throw errors.providerUnavailable(error);
      throw error;
    }
  }

  @Get('oidc/identities')
  @ApiBearerAuth()
  @UseGuards(JwtAuthGuard)
  @ApiOperation({ summary: 'List the sign-ins at the OpenID provider that are linked to this account' })
  @ApiOkResponse({ type: [Identity] })
  @ApiErrors(401, 503)
  list(@CurrentUser() user: AuthenticatedUser): Promise<Identity[]> {
    return this.identities.list(user);
  }

  @Delete('oidc/identities/:id')
  @ApiBearerAuth()
  @UseGuards(JwtAuthGuard)
  @ApiOperation({ summary: 'Unlink a sign-in from this account' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 404, 409, 503)
  async unlink(
    @Req() request: Request,
    @CurrentUser() user: AuthenticatedUser,
    @Param('id', new IdPipe()) id: number,
  ): Promise<MessageResponse> {
    await this.identities.unlink(user, id, readRequestOrigin(request));
    return { message: 'Sign-in unlinked' };
  }

  private assertOn(): void {
    if (this.auth.oidc === null) throw errors.openIdOff();
  }

  private setCookie(response: Response, { cookie }: OidcSignInStart): void {
    response.cookie(cookie.name, cookie.value, {
      httpOnly: true,
      // The provider's page leads the browser back here.
      sameSite: 'lax',
      path: '/auth/oidc',
      secure: this.http.publicUrl?.startsWith('https:') ?? false,
      maxAge: OAUTH_SIGN_IN_MINUTES * 60_000,
    });
  }

  /** A browser shows this answer, so a fault leads to a page that explains it. */
  private toPage(response: Response, page: string, error: unknown): void {
    if (!(error instanceof SignInError)) throw error;
    this.log.warn({ fault: error.fault, err: error.cause }, 'sign-in with the OpenID provider failed');
    redirect(response, `${page}?error=${error.fault}`);
  }
}

/** Redirects without the body that Express adds. */
function redirect(response: Response, url: string): void {
  response.setHeader('Location', url);
  response.status(302).end();
}
