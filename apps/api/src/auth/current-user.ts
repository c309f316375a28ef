import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Who asks, as `JwtAuthGuard` found out. */
export interface AuthenticatedUser {
  id: number;
  email: string;
  name: string;
  sessionId: string;
  /** When the access token ends. */
  expiresAt: Date;
}

/** The `AuthenticatedUser`, in handlers behind `JwtAuthGuard`. */
export const CurrentUser = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AuthenticatedUser =>
    context.switchToHttp().getRequest<Request & { user: AuthenticatedUser }>().user,
);
