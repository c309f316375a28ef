import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedUser } from '../auth/current-user.js';

/** The author of a dashboard change and the request, for the audit record. */
export interface ChangeAuthor {
  actor: AuthenticatedUser;
  requestId: string;
}

/** The `ChangeAuthor`, in handlers behind `JwtAuthGuard`. */
export const Author = createParamDecorator((_data: unknown, context: ExecutionContext): ChangeAuthor => {
  const { user, requestId } = context.switchToHttp().getRequest<Request & { user: AuthenticatedUser }>();
  return { actor: user, requestId };
});
