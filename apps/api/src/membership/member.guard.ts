import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { isAtLeast, WORKSPACE_ID_HEADER } from '#contracts';
import { isAccessToken } from '../auth/access-token.js';
import type { AuthenticatedUser } from '../auth/current-user.js';
import { bearerToken, JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { errors } from '../platform/errors.js';
import { personBudget } from '../platform/http/body-budget.js';
import { receiveBody } from '../platform/http/request-body.js';
import { IdPipe } from '../platform/http/validation.js';
import { AccessTokens } from './access-tokens.js';
import type { ActingMember } from './member.js';
import { Memberships } from './memberships.js';
import { REQUIREMENT, type Requirement } from './requires.js';

/**
 * The guard of every endpoint that works in a workspace. It authenticates the person, finds the person's role in the
 * workspace, and checks the role twice: before the body is read, and again when the body has arrived. The role
 * comes from the database, so that a change applies to the next request on every instance.
 */
@Injectable()
export class MemberGuard implements CanActivate {
  constructor(
    private readonly people: JwtAuthGuard,
    private readonly memberships: Memberships,
    private readonly tokens: AccessTokens,
    private readonly reflector: Reflector,
  ) {}

  /** @throws ApiError 400, 401, 403, 404 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const requirement = this.reflector.get<Requirement | undefined>(REQUIREMENT, context.getHandler());
    if (requirement === undefined) throw new Error(`${context.getHandler().name} does not say which role it requires`);
    const request = context.switchToHttp().getRequest<Request>();
    const authenticate = () => this.authenticate(context, request, requirement);
    await receiveBody(request, personBudget(await authenticate()), authenticate);
    return true;
  }

  /** Sets `request.user`. @returns the person's id */
  private async authenticate(context: ExecutionContext, request: Request, requirement: Requirement): Promise<number> {
    const token = bearerToken(request);
    const member = isAccessToken(token)
      ? await this.memberByToken(token, request, requirement)
      : await this.memberBySession(context, request, requirement);
    if (!isAtLeast(member.role, requirement.role)) throw errors.roleTooLow(member.role);
    request.user = member;
    return member.id;
  }

  private async memberBySession(
    context: ExecutionContext,
    request: Request,
    requirement: Requirement,
  ): Promise<ActingMember> {
    await this.people.authenticate(context);
    const user = request.user as AuthenticatedUser;
    const found = await this.memberships.find(user.id, workspaceIn(request, requirement));
    return { ...user, ...found, token: null };
  }

  /** A token works in its own workspace only. */
  private async memberByToken(token: string, request: Request, requirement: Requirement): Promise<ActingMember> {
    const member = await this.tokens.authenticate(token);
    if (requirement.loggedIn) throw errors.noTokens();
    const workspaceId = workspaceIn(request, requirement) ?? member.workspaceId;
    if (workspaceId !== member.workspaceId) throw errors.resourceNotFound();
    return member;
  }
}

/** @throws ApiError 400 */
function workspaceIn({ params, headers }: Request, { inPath }: Requirement): number | null {
  if (inPath) return new IdPipe().transform(params.id as string);
  const given = headers[WORKSPACE_ID_HEADER.toLowerCase()];
  return given === undefined ? null : new IdPipe(WORKSPACE_ID_HEADER).transform(String(given));
}
