import { randomUUID } from 'node:crypto';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { AuthConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { personBudget } from '../platform/http/body-budget.js';
import { receiveBody } from '../platform/http/request-body.js';
import { isAccessToken } from './access-token.js';
import type { AuthenticatedUser } from './current-user.js';
import { SessionRegistry } from './sessions.js';
import { PINNED, TokenSigner, signingKey } from './tokens.js';

/** Verifies an access token and checks that its session is still valid. */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy) {
  /**
   * Passport has one registry per process. Several apps can run in one process, and with a fixed name the last one
   * would win.
   */
  readonly registeredAs = `access-token-${randomUUID()}`;

  constructor(
    config: AuthConfig,
    private readonly tokens: TokenSigner,
    private readonly sessions: SessionRegistry,
  ) {
    const { algorithms, issuer, ignoreExpiration, ...jsonWebTokenOptions } = PINNED;
    super({
      jwtFromRequest: bearerToken,
      // passport-jwt passes it on to jsonwebtoken, which takes keys, but its types lack them.
      secretOrKey: signingKey(config) as unknown as Buffer,
      algorithms,
      issuer,
      ignoreExpiration,
      jsonWebTokenOptions,
    });
    passport.use(this.registeredAs, this);
  }

  /** A payload of JSON `null`, signed or not, makes the library throw instead of calling its error callback. */
  override authenticate(request: Request, options?: object): void {
    try {
      super.authenticate(request, options);
    } catch (error) {
      throw error instanceof ApiError ? error : errors.invalidToken();
    }
  }

  validate(payload: unknown): Promise<AuthenticatedUser> {
    return this.sessions.authenticate(this.tokens.read(payload, 'access'));
  }
}

/**
 * The guard of the endpoints of a person's own account. It authenticates the person, and reads the body only after
 * that.
 */
@Injectable()
export class JwtAuthGuard extends AuthGuard() {
  // Passes the strategy's name. If it got the strategy itself, passport would keep the state of parallel requests in
  // that one object.
  constructor({ registeredAs }: AccessTokenStrategy) {
    super({ defaultStrategy: registeredAs, session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const authenticate = () => this.authenticate(context);
    await authenticate();
    const request = context.switchToHttp().getRequest<Request>();
    await receiveBody(request, personBudget((request.user as AuthenticatedUser).id), authenticate);
    return true;
  }

  /** Sets `request.user`. Reads no body. @throws ApiError 401, 403 for a personal access token */
  async authenticate(context: ExecutionContext): Promise<void> {
    if (isAccessToken(bearerToken(context.switchToHttp().getRequest<Request>()))) throw errors.noTokens();
    await super.canActivate(context);
  }

  override handleRequest<T>(error: Error | null, user: T | false | null): T {
    if (error) throw error;
    if (!user) throw errors.invalidToken();
    return user;
  }
}

/** @throws ApiError 401 (docs/reference/dashboard-api.md#authentication) */
export function bearerToken({ headers }: Pick<Request, 'headers'>): string {
  const header = headers.authorization?.trim();
  if (!header) throw errors.missingAuthorization();
  const [scheme, token, ...rest] = header.split(/ +/);
  if (scheme.toLowerCase() !== 'bearer' || rest.length > 0) throw errors.invalidAuthorization();
  if (!token) throw errors.missingToken();
  return token;
}
