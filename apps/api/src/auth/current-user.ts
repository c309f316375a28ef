import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The person who sent the request. `JwtAuthGuard` sets it. */
export interface AuthenticatedUser {
  id: number;
  email: string;
  name: string;
  sessionId: string;
  /** When the access token expires. */
  expiresAt: Date;
}

/** Injects the `AuthenticatedUser` into handlers behind `JwtAuthGuard`. */
export const CurrentUser = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AuthenticatedUser =>
    context.switchToHttp().getRequest<Request & { user: AuthenticatedUser }>().user,
);
