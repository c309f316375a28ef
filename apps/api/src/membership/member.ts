import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Role } from '#contracts';
import type { AuthenticatedUser } from '../auth/current-user.js';

/** The person who sent the request, in the workspace that the request is about. `MemberGuard` sets it. */
export interface Member extends AuthenticatedUser {
  workspaceId: number;
  /** What the person may do in the workspace now. */
  role: Role;
}

/** Injects the `Member` into handlers behind `MemberGuard`. */
export const CurrentMember = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Member =>
    context.switchToHttp().getRequest<Request & { user: Member }>().user,
);
