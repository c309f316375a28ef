import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { POLL_INTERVAL_SECONDS, PROXY_STATUS_HEADER } from '#contracts';
import { toHeldResponse } from './held-response.js';
import type { ProxyOutcome } from './outcome.js';

/**
 * Writes the outcome: an upstream's answer as it is, byte for byte, a held request as 428. The handlers take `@Res()`, so
 * that Nest leaves the writing to this.
 */
@Injectable()
export class UpstreamResponseInterceptor implements NestInterceptor<ProxyOutcome, void> {
  intercept(context: ExecutionContext, next: CallHandler<ProxyOutcome>): Observable<void> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((outcome) => {
        if (outcome.kind === 'answered') writeAnswer(response, outcome);
        else if (outcome.kind === 'held') writeHeld(response, outcome);
        else writePreview(response, outcome);
      }),
    );
  }
}

function writeAnswer(response: Response, { answer, via }: ProxyOutcome & { kind: 'answered' }): void {
  if (answer.fromUpstream) response.setHeader(PROXY_STATUS_HEADER, via);
  for (const [name, values] of grouped(answer.headers)) response.setHeader(name, values);
  const hasBody = answer.body.length > 0;
  if (hasBody && !response.hasHeader('content-type')) response.setHeader('Content-Type', 'application/json');
  if (answer.status !== 204 && answer.status !== 304) response.setHeader('Content-Length', answer.body.length);
  response.statusCode = answer.status;
  response.end(answer.body);
}

/** The upstream's headers take the place of ours with the same name, e.g. of our `Cache-Control`. */
function grouped(headers: [string, string][]): Map<string, string | string[]> {
  const byName = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = byName.get(key);
    byName.set(key, before === undefined ? value : [before, value].flat());
  }
  return byName;
}

function writeHeld(response: Response, { action, waitSeconds }: ProxyOutcome & { kind: 'held' }): void {
  if (waitSeconds > 0) response.setHeader('Preference-Applied', `wait=${waitSeconds}`);
  response.setHeader('Retry-After', String(POLL_INTERVAL_SECONDS));
  response
    .status(428)
    .type('application/json')
    .send(JSON.stringify(toHeldResponse(action)));
}

function writePreview(response: Response, { preview }: ProxyOutcome & { kind: 'previewed' }): void {
  response.setHeader(PROXY_STATUS_HEADER, 'dry-run');
  response.setHeader('Preference-Applied', 'handling=dry-run');
  response.status(200).type('application/json').send(JSON.stringify(preview));
}
