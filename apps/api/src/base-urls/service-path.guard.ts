import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import {
  HTTP_METHODS,
  IDEMPOTENCY_STATUS_HEADER,
  INTENT_MAX,
  type HttpMethod,
  type ProxyRequestBody,
} from '#contracts';
import { isRepeatable } from '../egress/repeatable.js';
import { HttpConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { ownPreferencesRemoved, preferredWait, prefersDryRun, prefersStream } from '../proxy/prefer.js';
import { abortWhenGone } from '../proxy/client-gone.js';
import type { ProxyCall, ProxyHttpRequest } from '../proxy/proxy-call.js';
import { charging } from '../platform/http/body-budget.js';
import { headerKey, toProxyCall, type CallTerms } from '../proxy/to-proxy-call.js';
import { parseServicePath, type ServicePath } from './service-path.js';

export type ServicePathRequest = ProxyHttpRequest & {
  servicePath: ServicePath;
  /** The call without what depends on the service: `targetUrl` is the requested URL (`callUnder`). */
  proxyCall: ProxyCall;
  /** The method needs an idempotency key, and the request has none. Its base URL must allow that. */
  keyMissing: boolean;
  /** From `Prefer: wait=N`. 0: the header does not ask for a wait. */
  preferredWait: number;
};

/**
 * Reads what a request below `/s/<service>` says by itself, as the `POST /proxy` that it stands for. Which service has
 * the name may change at any time, so `callUnder` decides that. See docs/reference/agent-api.md#base-urls.
 */
@Injectable()
export class ServicePathGuard implements CanActivate {
  constructor(private readonly config: HttpConfig) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ServicePathRequest>();
    const reading = this.read(request, context.switchToHttp().getResponse<Response>());
    request.work = reading;
    return reading;
  }

  private async read(request: ServicePathRequest, response: Response): Promise<boolean> {
    const { headers } = request;
    if (!HTTP_METHODS.some((method) => method === request.method)) {
      throw errors.methodNotAllowed(request.method, HTTP_METHODS.join(', '));
    }
    const path = (request.servicePath = parseServicePath(request.originalUrl));
    const stated = readIntent(headers['x-intent']);
    const dryRun = prefersDryRun(headers.prefer);
    const asked = {
      method: request.method as HttpMethod,
      targetUrl: this.own(request.originalUrl),
      headers: headersFor(headers),
      intent: stated ?? unstated(request.method, path),
    } satisfies ProxyRequestBody;
    const key = headerKey(headers['idempotency-key']);
    request.keyMissing = key === null && !dryRun && !isRepeatable(asked.method);
    request.preferredWait = preferredWait(headers.prefer);
    const terms: CallTerms = {
      waitSeconds: 0,
      dryRun,
      streaming: prefersStream(headers.prefer) ? 'any' : 'events',
      requestId: request.requestId,
      room: request.answerRoom,
      gone: () => abortWhenGone(response),
      unstatedIntent: stated === null,
      separate: request.keyMissing,
    };
    const body = {
      bytes: request.body as Buffer | null,
      maxBytes: request.agentLoad.bodyMaxBytes,
      charge: charging(request.agentLoad, response),
    };
    request.proxyCall = await toProxyCall(asked, key, terms, body).catch(rethrowReworded);
    // Errors carry it too: the first answer to a key and its replay are the same.
    if (request.proxyCall.idempotencyKey !== null) response.setHeader(IDEMPOTENCY_STATUS_HEADER, 'processed');
    return true;
  }

  private own(url: string): string {
    return `${this.config.publicUrl ?? `http://localhost:${this.config.port}`}${url}`;
  }
}

/** The names that this door has for the fields of `POST /proxy`. */
const NAMES_HERE: Record<string, string> = {
  intent: 'X-Intent',
  targetUrl: 'URL',
};

/** Rewords a refusal, which is worded for `POST /proxy`, for this door. */
function rethrowReworded(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const message = error.message.replace(
    /(^|; )(intent|targetUrl)(?=:)/g,
    (_all, before: string, field: string) => before + NAMES_HERE[field],
  );
  throw new ApiError(error.statusCode, message, error);
}

/** Node reads header values as Latin-1. A client that writes more than ASCII means UTF-8. */
function readIntent(header: string | string[] | undefined): string | null {
  const bytes = Buffer.from([header ?? ''].flat().join(', '), 'latin1');
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').trim();
  return text === '' ? null : text;
}

function unstated(method: string, { name, rest }: ServicePath): string {
  const text = `No intent was given: ${method} ${rest.slice(0, 200) || '/'} through the base URL of "${name}"`;
  return Array.from(text).slice(0, INTENT_MAX).join('');
}

/**
 * Headers for the gateway or from the proxies in front of it. `__proto__` and `constructor` are unsafe as names in
 * JavaScript.
 */
const NOT_FOR_UPSTREAM =
  /^(x-intent|x-request-id|prefer|via|forwarded|x-forwarded-.*|x-real-ip|cf-.*|true-client-ip|__proto__|constructor)$/;

/** The pipeline drops the other headers that may not be forwarded. */
function headersFor(headers: IncomingHttpHeaders): Record<string, string> {
  const prefer = ownPreferencesRemoved(headers.prefer);
  return Object.fromEntries([
    ...Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || NOT_FOR_UPSTREAM.test(name) ? [] : [[name, [value].flat().join(', ')]],
    ),
    ...(prefer === null ? [] : [['prefer', prefer]]),
  ]) as Record<string, string>;
}
