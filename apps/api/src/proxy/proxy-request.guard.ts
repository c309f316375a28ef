import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { IDEMPOTENCY_STATUS_HEADER } from '#contracts';
import { charging } from '../platform/http/body-budget.js';
import { abortWhenGone } from './client-gone.js';
import { preferredWait, prefersDryRun, prefersStream } from './prefer.js';
import type { ProxyHttpRequest } from './proxy-call.js';
import { headerKey, toProxyCall, type CallTerms } from './to-proxy-call.js';

/**
 * Checks whether the request is well formed. A guard and not a pipe: the pipeline must not begin before it, and it sets
 * a header that errors of the pipeline carry too.
 */
@Injectable()
export class ProxyRequestGuard implements CanActivate {
  canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ProxyHttpRequest>();
    const reading = this.read(request, context.switchToHttp().getResponse<Response>());
    request.work = reading;
    return reading;
  }

  private async read(request: ProxyHttpRequest, response: Response): Promise<boolean> {
    const dryRun = prefersDryRun(request.headers.prefer);
    const terms: CallTerms = {
      waitSeconds: dryRun ? 0 : preferredWait(request.headers.prefer),
      dryRun,
      streaming: prefersStream(request.headers.prefer) ? 'any' : 'events',
      requestId: request.requestId,
      room: request.answerRoom,
      gone: () => abortWhenGone(response),
    };
    const call = await toProxyCall(request.body as object, headerKey(request.headers['idempotency-key']), terms, {
      maxBytes: request.agentLoad.bodyMaxBytes,
      charge: charging(request.agentLoad, response),
    });
    // Errors carry it too: the first answer to a key and its replay are the same.
    if (call.idempotencyKey !== null) response.setHeader(IDEMPOTENCY_STATUS_HEADER, 'processed');
    request.proxyCall = call;
    return true;
  }
}
