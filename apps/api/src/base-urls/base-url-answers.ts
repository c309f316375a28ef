import { Injectable } from '@nestjs/common';
import type { ErrorBody } from '#contracts';
import type { Answer } from '../egress/answer.js';
import { HttpConfig } from '../platform/config.js';
import { errors, forSdks } from '../platform/errors.js';
import type { ServiceView } from '../services/service-view.js';
import { GatewayLinks } from './gateway-links.js';
import type { ProxyOutcome } from '../proxy/outcome.js';
import type { ServicePathRequest } from './service-path.guard.js';

const LINK_HEADERS = new Set(['location', 'content-location', 'link', 'refresh']);
/** Any other header may consist of one URL that an SDK requests next: `Operation-Location`, `X-Next-Page`. */
const URL_VALUE = /^\s*https?:/i;
/** HTTP libraries follow these headers by themselves. */
const FOLLOWED = new Set(['location', 'refresh']);
/** Digests of the original body. They don't match a rewritten one. */
const DIGESTS = new Set(['content-md5', 'digest', 'content-digest', 'repr-digest']);
const JSON_TYPE = /[/+](x-nd)?json\s*(;|$)/i;
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

/**
 * Translates outcomes for programs behind a base URL. Links below the service lead to the gateway, because programs
 * follow them with the agent key. A redirect to another place moves to `X-Upstream-Location`. A denial during the wait
 * becomes a 403, which SDKs don't retry.
 */
@Injectable()
export class BaseUrlAnswers {
  constructor(private readonly config: HttpConfig) {}

  /** @param service the one that the base URL names @throws ApiError 403 */
  translated(outcome: ProxyOutcome, request: ServicePathRequest, service: ServiceView | undefined): ProxyOutcome {
    if (outcome.kind === 'held' && outcome.waitSeconds > 0) {
      const { action } = outcome;
      if (action.effectiveStatus === 'DENIED') {
        throw errors.deniedByApprover(action.resolvedByName, action.resolutionNote);
      }
    }
    if (outcome.kind === 'streamed') {
      // Only the headers: the body is not known yet. A repeat of the key gets the answer as the API gave it.
      return { ...outcome, headers: this.rewrittenHeaders(outcome.headers, request, service) };
    }
    if (outcome.kind !== 'answered') return outcome;
    const { answer } = outcome;
    return { ...outcome, answer: answer.fromUpstream ? this.rewritten(answer, request, service) : withMessage(answer) };
  }

  private rewritten(answer: Answer, request: ServicePathRequest, service: ServiceView | undefined): Answer {
    const inBody = service?.rewriteLinks === 'bodies' && answer.body.length > 0 && isJson(answer);
    if (!inBody && !answer.headers.some(mayHaveLink)) return answer;
    const links = service === undefined ? null : this.links(request, service);
    const body = inBody && links !== null ? links.json(answer.body) : answer.body;
    const headers = answer.headers
      .filter(([name]) => body === answer.body || !DIGESTS.has(name.toLowerCase()))
      .map((header) => rewriteHeader(header, links));
    return { ...answer, headers, body };
  }

  private rewrittenHeaders(
    headers: Answer['headers'],
    request: ServicePathRequest,
    service: ServiceView | undefined,
  ): Answer['headers'] {
    if (!headers.some(mayHaveLink)) return headers;
    const links = service === undefined ? null : this.links(request, service);
    return headers.map((header) => rewriteHeader(header, links));
  }

  private links(request: ServicePathRequest, { baseUrl }: ServiceView): GatewayLinks {
    return new GatewayLinks({
      baseUrl,
      gatewayUrl: this.origin(request) + request.servicePath.base,
      targetUrl: request.proxyCall.targetUrl,
    });
  }

  /** The configured origin, otherwise the one that the program called. */
  private origin({ protocol, host }: ServicePathRequest): string {
    const { publicUrl, port } = this.config;
    return publicUrl ?? (HOST.test(host) ? `${protocol}://${host}` : `http://localhost:${port}`);
  }
}

const mayHaveLink = ([name, value]: [string, string]): boolean =>
  URL_VALUE.test(value) || LINK_HEADERS.has(name.toLowerCase());

function rewriteHeader([name, value]: [string, string], links: GatewayLinks | null): [string, string] {
  const lower = name.toLowerCase();
  if (!LINK_HEADERS.has(lower)) return [name, (URL_VALUE.test(value) ? links?.url(value) : null) ?? value];
  if (lower === 'link') return [name, links?.link(value) ?? value];
  const here = lower === 'refresh' ? links?.refresh(value) : links?.url(value);
  if (typeof here === 'string') return [name, here];
  return FOLLOWED.has(lower) ? [`x-upstream-${lower}`, value] : [name, value];
}

/** An answer without a type is passed on as JSON. */
function isJson({ headers }: Answer): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return type === undefined || JSON_TYPE.test(type);
}

/** The stored error of an earlier call, in the form of this door. */
function withMessage(answer: Answer): Answer {
  const body = JSON.parse(answer.body.toString()) as ErrorBody;
  return { ...answer, body: Buffer.from(JSON.stringify(forSdks(body) satisfies ErrorBody)) };
}
