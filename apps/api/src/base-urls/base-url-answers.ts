import { Injectable } from '@nestjs/common';
import type { ErrorBody } from '#contracts';
import { UPSTREAM_RESPONSE_MAX_BYTES } from '#contracts/limits';
import { isEncoded, type Answer } from '../egress/answer.js';
import { ofChangedBody } from '../egress/companions.js';
import { withPlacedLinks } from '../egress/header-links.js';
import type { ServiceLinks } from '../egress/service-links.js';
import { HttpConfig } from '../platform/config.js';
import { errors, forSdks } from '../platform/errors.js';
import { Turns } from '../platform/turns.js';
import type { ServiceView } from '../service-view/service-view.js';
import { GatewayLinks } from './gateway-links.js';
import type { ProxyOutcome } from '../proxy/outcome.js';
import type { ProxyCall } from '../proxy/proxy-call.js';
import type { ServicePathRequest } from './service-path.guard.js';

/** The links of a service that is gone. */
const NOWHERE: Pick<ServiceLinks, 'url'> = { url: () => null };
const JSON_TYPE = /[/+](x-nd)?json\s*(;|$)/i;
/**
 * A body with rewritten links may be this many times as long as the original, plus `REWRITTEN_FREE_BYTES`. Otherwise an
 * agent with a long base URL could make it a thousand times as long.
 */
const REWRITTEN_TIMES = 4;
const REWRITTEN_FREE_BYTES = 64 * 1024;
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

/**
 * Translates outcomes for programs behind a base URL. Links below the service lead to the gateway, because programs
 * follow them with the agent key. A denial during the wait becomes a 403, which SDKs don't retry.
 */
@Injectable()
export class BaseUrlAnswers {
  constructor(
    private readonly config: HttpConfig,
    private readonly turns: Turns,
  ) {}

  /**
   * @param call as it was sent
   * @param service the one that the base URL names
   * @throws ApiError 403
   */
  async translated(
    outcome: ProxyOutcome,
    request: ServicePathRequest,
    call: ProxyCall,
    service: ServiceView | undefined,
  ): Promise<ProxyOutcome> {
    if (outcome.kind === 'held' && outcome.waitSeconds > 0) {
      const { action } = outcome;
      if (action.effectiveStatus === 'DENIED') {
        throw errors.deniedByApprover(action.resolvedByName, action.resolutionNote);
      }
    }
    if (outcome.kind === 'streamed') {
      // Only the headers: the body is not known yet. A repeat of the key gets the answer as the API gave it.
      return { ...outcome, headers: this.rewrittenHeaders(outcome.headers, request, call, service) };
    }
    if (outcome.kind !== 'answered') return outcome;
    const { answer } = outcome;
    return {
      ...outcome,
      answer: answer.fromUpstream ? await this.rewritten(answer, request, call, service) : withMessage(answer),
    };
  }

  private async rewritten(
    answer: Answer,
    request: ServicePathRequest,
    call: ProxyCall,
    service: ServiceView | undefined,
  ): Promise<Answer> {
    const inBody = service?.rewriteLinks === 'bodies' && answer.body.length > 0 && isReadableJson(answer);
    const body = inBody
      ? await this.rewrittenBody(answer.body, request, this.links(request, call, service))
      : answer.body;
    const headers = body === answer.body ? answer.headers : ofChangedBody(answer.headers);
    return { ...answer, headers: this.rewrittenHeaders(headers, request, call, service), body };
  }

  /**
   * Works in the turns of the agent. Reserves room for the pieces of the result and for the whole result
   * (docs/adr/0070-turns.md).
   */
  private async rewrittenBody(
    body: Buffer,
    { agent, answerRoom }: ServicePathRequest,
    links: GatewayLinks,
  ): Promise<Buffer> {
    const maxBytes = Math.min(UPSTREAM_RESPONSE_MAX_BYTES, REWRITTEN_FREE_BYTES + REWRITTEN_TIMES * body.length);
    await answerRoom.whenRoom(body.length + 2 * maxBytes);
    return this.turns.begin(agent.id, links.json(body, maxBytes));
  }

  private rewrittenHeaders(
    headers: Answer['headers'],
    request: ServicePathRequest,
    call: ProxyCall,
    service: ServiceView | undefined,
  ): Answer['headers'] {
    return withPlacedLinks(headers, () => (service === undefined ? NOWHERE : this.links(request, call, service)));
  }

  private links(request: ServicePathRequest, { targetUrl }: ProxyCall, { baseUrl }: ServiceView): GatewayLinks {
    return new GatewayLinks({
      baseUrl,
      gatewayUrl: this.origin(request) + request.servicePath.base,
      targetUrl,
    });
  }

  /** The configured origin, otherwise the one that the program called. */
  private origin({ protocol, host }: ServicePathRequest): string {
    const { publicUrl, port } = this.config;
    return publicUrl ?? (HOST.test(host) ? `${protocol}://${host}` : `http://localhost:${port}`);
  }
}

/** An answer without a type is passed on as JSON. */
function isReadableJson({ headers }: Answer): boolean {
  if (isEncoded(headers)) return false;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return type === undefined || JSON_TYPE.test(type);
}

/** The stored error of an earlier call, in the form of this door. */
function withMessage(answer: Answer): Answer {
  const body = JSON.parse(answer.body.toString()) as ErrorBody;
  return { ...answer, body: Buffer.from(JSON.stringify(forSdks(body) satisfies ErrorBody)) };
}
