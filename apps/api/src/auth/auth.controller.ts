import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Patch,
  Post,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import {
  ChangePasswordRequest,
  LoginRequest,
  LoginResponse,
  MessageResponse,
  RefreshRequest,
  SetupState,
  TokenPair,
  UpdateProfileRequest,
  UserResponse,
} from '#contracts';
import { HttpConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { ApiErrors } from '../platform/http/api-errors.js';
import { AccountRegistry } from './accounts.js';
import { CurrentUser, type AuthenticatedUser } from './current-user.js';
import { JwtAuthGuard } from './jwt-auth.guard.js';
import { PublicRoute } from './public-route.js';
import { RefreshCookieInterceptor } from './refresh-cookie.interceptor.js';
import { clearRefreshCookie, readRefreshCookie } from './refresh-cookie.js';
import { readRequestOrigin } from './request-origin.js';
import { SessionRegistry } from './sessions.js';

@ApiTags('Accounts')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly accounts: AccountRegistry,
    private readonly sessions: SessionRegistry,
    private readonly http: HttpConfig,
  ) {}

  @Get('setup')
  @PublicRoute()
  @ApiOperation({ summary: 'Get whether a first account is needed, and who may register' })
  @ApiOkResponse({ type: SetupState })
  @ApiErrors(503)
  async setup(): Promise<SetupState> {
    return { ...(await this.accounts.setupState()), publicUrl: this.http.publicUrl };
  }

  @Post('login')
  @HttpCode(200)
  @UseInterceptors(RefreshCookieInterceptor)
  @Header('Cache-Control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'Log in. Also sets the refresh token as a cookie' })
  @ApiOkResponse({ type: LoginResponse })
  @ApiErrors(400, 401, 429, 503)
  login(@Req() request: Request, @Body() body: LoginRequest): Promise<LoginResponse> {
    return this.accounts.login(body, readRequestOrigin(request));
  }

  @Post('refresh')
  @HttpCode(200)
  @UseInterceptors(RefreshCookieInterceptor)
  @Header('Cache-Control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'Exchange a refresh token (from the body, else from the cookie) for new tokens' })
  @ApiOkResponse({ type: TokenPair })
  @ApiErrors(400, 401, 503)
  async refresh(@Req() request: Request, @Body() body: RefreshRequest): Promise<TokenPair> {
    return this.sessions.refresh(this.refreshToken(request, body), readRequestOrigin(request));
  }

  @Post('logout')
  @HttpCode(200)
  @PublicRoute()
  @ApiOperation({ summary: 'End the session of a refresh token (from the body, else from the cookie)' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 503)
  async logout(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body() body: RefreshRequest,
  ): Promise<MessageResponse> {
    const token = this.refreshToken(request, body);
    clearRefreshCookie(request, response);
    await this.sessions.logout(token, readRequestOrigin(request));
    return { message: 'Logged out' };
  }

  @Patch('me')
  @UseGuards(JwtAuthGuard)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Change the name that other people see' })
  @ApiOkResponse({ type: UserResponse })
  @ApiErrors(400, 401, 503)
  async rename(@CurrentUser() user: AuthenticatedUser, @Body() body: UpdateProfileRequest): Promise<UserResponse> {
    return { user: await this.accounts.rename(user.id, body.name) };
  }

  @Post('password')
  @HttpCode(200)
  @UseGuards(JwtAuthGuard)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Change the password. Ends all other sessions' })
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 403, 429, 503)
  async changePassword(
    @Req() request: Request,
    @CurrentUser() user: AuthenticatedUser,
    @Body() body: ChangePasswordRequest,
  ): Promise<MessageResponse> {
    await this.accounts.changePassword(user, body, readRequestOrigin(request));
    return { message: 'Password changed. All other sessions were ended.' };
  }

  private refreshToken(request: Request, body: RefreshRequest): string {
    const token = body.refreshToken || readRefreshCookie(request, this.http.corsOrigins);
    if (!token) throw errors.missingToken();
    return token;
  }
}
