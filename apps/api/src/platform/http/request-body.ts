import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { isBaseUrlRequest } from './base-url-requests.js';
import { STRANGERS, type BodyBudget } from './body-budget.js';
import { readJsonBody } from './json-body.js';
import { readTextBody } from './text-body.js';

/**
 * Reads the body into `request.body`. The guards call it after they have authenticated the sender, so that no body is read before that
 * (docs/reference/http.md#bodies). An endpoint without such a guard has no body.
 * @throws ApiError 400, 413, 415, 429, 503
 */
export async function receiveBody(request: Request, budget: BodyBudget): Promise<void> {
  if (isBaseUrlRequest(request.url)) request.body = await readTextBody(request, budget);
  else request.body = await readJsonBody(request, budget);
}

/** Reads the body for public endpoints. */
@Injectable()
export class StrangersBodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await receiveBody(context.switchToHttp().getRequest<Request>(), STRANGERS);
    return true;
  }
}
