import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { isAccessToken } from '../auth/access-token.js';
import { bearerToken, JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { AccessTokens } from './access-tokens.js';

/** The guard of an endpoint about the person, whether logged in or behind a personal access token. It reads no body. */
@Injectable()
export class PersonGuard implements CanActivate {
  constructor(
    private readonly people: JwtAuthGuard,
    private readonly tokens: AccessTokens,
  ) {}

  /** @throws ApiError 401, 404 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const token = bearerToken(request);
    if (isAccessToken(token)) request.user = await this.tokens.authenticate(token);
    else await this.people.authenticate(context);
    return true;
  }
}
