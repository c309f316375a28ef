import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { tap, type Observable } from 'rxjs';
import type { TokenPair } from '#contracts';
import { AuthConfig } from '../platform/config.js';
import { clearRefreshingCookie, setRefreshCookie } from './refresh-cookie.js';

/** Sets the refresh token of the response as a cookie too, for browsers. */
@Injectable()
export class RefreshCookieInterceptor implements NestInterceptor<TokenPair> {
  constructor(private readonly config: AuthConfig) {}

  intercept(context: ExecutionContext, next: CallHandler<TokenPair>): Observable<TokenPair> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    return next.handle().pipe(
      tap({
        next: ({ refreshToken }) => setRefreshCookie(request, response, refreshToken, this.config.refreshTtlSeconds),
        error: () => clearRefreshingCookie(request, response),
      }),
    );
  }
}
