import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { ActingMember } from './member.js';

/** The author of a dashboard change and the request, for the audit record. */
export interface ChangeAuthor {
  actor: ActingMember;
  requestId: string;
}

/** The `ChangeAuthor`, in handlers behind `MemberGuard`. */
export const Author = createParamDecorator((_data: unknown, context: ExecutionContext): ChangeAuthor => {
  const { user, requestId } = context.switchToHttp().getRequest<Request & { user: ActingMember }>();
  return { actor: user, requestId };
});
