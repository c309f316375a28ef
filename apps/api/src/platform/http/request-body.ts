import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { PROXY_BODY_MAX_BYTES } from '#contracts/limits';
import { isBaseUrlRequest } from './base-url-requests.js';
import { FREE_BYTES, UNAUTHENTICATED, type BodyBudget } from './body-budget.js';
import { readJsonBody } from './json-body.js';
import { readRawBody } from './raw-body.js';
import { declaresBody } from './unread-body.js';

/**
 * Reads the body into `request.body`. The guards call it after they have authenticated the sender, so that no body is
 * read before that (docs/reference/http.md#bodies). An endpoint without such a guard has no body.
 * @param authenticate runs again after a body that was not read at once: its sender can take a minute for it, and lose all
 * rights meanwhile. null: the sender is a stranger
 * @param callMaxBytes the largest body of a request that is to be forwarded
 * @throws ApiError 400, 413, 415, 429, 503, and as `authenticate`
 */
export async function receiveBody(
  request: Request,
  budget: BodyBudget,
  authenticate: (() => Promise<unknown>) | null,
  callMaxBytes = PROXY_BODY_MAX_BYTES,
): Promise<void> {
  const isHere = !declaresBody(request) || isReadAtOnce(request);
  const read = isBaseUrlRequest(request.url) ? readRawBody : readJsonBody;
  const reading = read(request, budget, callMaxBytes);
  request.work = reading;
  request.body = await reading;
  if (!isHere) await authenticate?.();
}

/** Most bodies are small and come with the head. Large ones, and those in YAML, may wait for a thread that reads them. */
const isReadAtOnce = ({ complete, headers }: Request): boolean =>
  complete && Number(headers['content-length']) <= FREE_BYTES && !/yaml/i.test(headers['content-type'] ?? '');

/** Reads the body for public endpoints. */
@Injectable()
export class UnauthenticatedBodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await receiveBody(context.switchToHttp().getRequest<Request>(), UNAUTHENTICATED, null);
    return true;
  }
}
