import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Administrators } from '../auth/administrators.js';
import type { AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { errors } from '../platform/errors.js';
import { personBudget } from '../platform/http/body-budget.js';
import { receiveBody } from '../platform/http/request-body.js';

/** The guard of the endpoints about the whole installation. Personal access tokens are refused. */
@Injectable()
export class AdministratorGuard implements CanActivate {
  constructor(
    private readonly people: JwtAuthGuard,
    private readonly administrators: Administrators,
  ) {}

  /** @throws ApiError 401, 403 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const authenticate = () => this.authenticate(context, request);
    await receiveBody(request, personBudget(await authenticate()), authenticate);
    return true;
  }

  /** @returns the administrator's id */
  private async authenticate(context: ExecutionContext, request: Request): Promise<number> {
    await this.people.authenticate(context);
    const { id } = request.user as AuthenticatedUser;
    if (!(await this.administrators.include(id))) throw errors.notAdministrator();
    return id;
  }
}
