import type { Response } from 'express';
import { ERROR_CODE_HEADER, POLL_INTERVAL_SECONDS, PROXY_STATUS_HEADER, type ErrorCode } from '#contracts';
import { headersByName } from '../egress/answer.js';
import { BodyShare } from '../platform/http/body-budget.js';
import { isBaseUrlRequest } from '../platform/http/base-url-requests.js';
import { forSdks } from '../platform/errors.js';
import { privateCacheControl, varyByKey } from './cache-headers.js';
import { toHeldResponse } from './held-response.js';
import { prefersStream } from './prefer.js';
import type { ProxyOutcome } from './outcome.js';

const NOTHING = Buffer.alloc(0);

/** Writes an outcome: an upstream's answer as it is, byte for byte, a held request as 428, a dry run as JSON. */
export function writeOutcome(response: Response, outcome: ProxyOutcome): void {
  switch (outcome.kind) {
    case 'answered':
      return writeAnswer(response, outcome);
    case 'streamed':
      return writeStream(response, outcome);
    case 'held':
      return writeHeld(response, outcome);
    case 'previewed':
      return writePreview(response, outcome);
  }
}

function writeAnswer(response: Response, { answer, via }: ProxyOutcome & { kind: 'answered' }): void {
  const isHead = response.req.method === 'HEAD';
  if (answer.fromUpstream) response.setHeader(PROXY_STATUS_HEADER, via);
  writeHeaders(response, answer.status, answer.headers);
  for (const [name, value] of answer.own ?? []) response.setHeader(name, value);
  const hasBody = answer.body.length > 0;
  if (hasBody && !response.hasHeader('content-type')) response.setHeader('Content-Type', 'application/json');
  if (!isHead && answer.status !== 204 && answer.status !== 304)
    response.setHeader('Content-Length', answer.body.length);
  // If Node wrote the head together with the body, it would decode and encode `Content-Disposition` again.
  response.writeHead(answer.status);
  response.req.answerRoom.write(answer.body.length);
  response.end(answer.body);
}

/** The upstream's headers replace the gateway's headers with the same name, for example its `Cache-Control`. */
function writeHeaders(response: Response, status: number, headers: [string, string][]): void {
  const isBaseUrl = isBaseUrlRequest(response.req.originalUrl);
  const byName = headersByName(headers);
  // Without it, the answer has the gateway's own `no-store`.
  const cacheControl = byName.get('cache-control');
  if (cacheControl !== undefined) {
    byName.set('cache-control', privateCacheControl(cacheControl));
    byName.set('vary', varyByKey(byName.get('vary')));
  }
  for (const [name, values] of byName) {
    // This is the length of a HEAD response. The agent may have sent a POST to `/proxy` that asks for a HEAD.
    if (name === 'content-length' && response.req.method !== 'HEAD') continue;
    // A program behind a base URL gets `refresh` and `location` with the link rewritten. Elsewhere, `refresh` is
    // dropped, because a browser would follow it.
    if (name === 'refresh' && !isBaseUrl) continue;
    // Elsewhere, the `location` of a redirect gets another name: HTTP libraries would follow it with the agent's key.
    const isRedirect = name === 'location' && !isBaseUrl && status >= 300 && status < 400;
    response.setHeader(isRedirect ? 'x-upstream-location' : name, values);
  }
}

/** The body follows as it arrives, so its length is unknown, and it is written in chunks. */
function writeStream(response: Response, { answer, headers, via }: ProxyOutcome & { kind: 'streamed' }): void {
  response.setHeader(PROXY_STATUS_HEADER, via);
  if (prefersStream(response.req.headers.prefer)) response.setHeader('Preference-Applied', 'stream');
  // Tells proxies in front of the gateway not to collect the answer.
  response.setHeader('X-Accel-Buffering', 'no');
  writeHeaders(response, answer.status, headers);
  for (const [name, value] of answer.own) response.setHeader(name, value);
  if (!response.hasHeader('content-type')) response.setHeader('Content-Type', 'application/json');
  response.writeHead(answer.status);
  // The agent learns that the answer has begun, even if its first event comes later. `flushHeaders` would encode the
  // octets of the headers again.
  response.write(NOTHING);
  answer.passTo(response, new BodyShare(response.req.agentLoad, response));
}

function writeHeld(response: Response, { action, waitSeconds }: ProxyOutcome & { kind: 'held' }): void {
  if (waitSeconds > 0) response.setHeader('Preference-Applied', `wait=${waitSeconds}`);
  response.setHeader(ERROR_CODE_HEADER, 'approval_required' satisfies ErrorCode);
  response.setHeader('Retry-After', String(POLL_INTERVAL_SECONDS));
  const body = toHeldResponse(action);
  response
    .status(428)
    .type('application/json')
    .send(JSON.stringify(isBaseUrlRequest(response.req.originalUrl) ? forSdks(body) : body));
}

function writePreview(response: Response, { preview }: ProxyOutcome & { kind: 'previewed' }): void {
  response.setHeader(PROXY_STATUS_HEADER, 'dry-run');
  response.setHeader('Preference-Applied', 'handling=dry-run');
  response.status(200).type('application/json').send(JSON.stringify(preview));
}
