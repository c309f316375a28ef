import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Administrators } from '../auth/administrators.js';
import type { AuthenticatedUser } from '../auth/current-user.js';
import { JwtAuthGuard } from '../auth/jwt-auth.guard.js';
import { MetricsPage } from '../observability/metrics-page.js';

export interface PartsRequest extends Request {
  /** Whether the caller may see the parts of the gateway. */
  mayReadParts: boolean;
}

/**
 * Lets everybody pass, and notes who may see the parts: whoever sends `METRICS_TOKEN`, which needs no database, and
 * administrators of the installation. Any other token is ignored.
 */
@Injectable()
export class PartsGuard implements CanActivate {
  constructor(
    private readonly page: MetricsPage,
    private readonly people: JwtAuthGuard,
    private readonly administrators: Administrators,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PartsRequest>();
    const { authorization } = request.headers;
    request.mayReadParts =
      authorization !== undefined &&
      (this.page.hasToken(authorization) || (await this.isAdministrator(context).catch(() => false)));
    return true;
  }

  private async isAdministrator(context: ExecutionContext): Promise<boolean> {
    await this.people.authenticate(context);
    return this.administrators.include((context.switchToHttp().getRequest<Request>().user as AuthenticatedUser).id);
  }
}
