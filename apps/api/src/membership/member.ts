import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Role } from '#contracts';
import type { AuthenticatedUser } from '../auth/current-user.js';

/** The person who sent the request, in the workspace that the request is about. `MemberGuard` sets it. */
export interface ActingMember extends Omit<AuthenticatedUser, 'sessionId'> {
  /** null: a program sent the request, with a personal access token. */
  sessionId: string | null;
  token: { id: number; name: string } | null;
  workspaceId: number;
  /** What the person, or the token, may do in the workspace now. */
  role: Role;
}

/** Injects the `ActingMember` into handlers behind `MemberGuard`. */
export const CurrentMember = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ActingMember =>
    context.switchToHttp().getRequest<Request & { user: ActingMember }>().user,
);
