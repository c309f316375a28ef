import type { AgentView } from '../agents/agent-directory.js';
import { denialHashSteps, joiningHashSteps, targetHash, type Compared } from '../approvals/equality.js';
import type { EqualRequest } from '../approvals/standing-denial.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import type { RiskRequest, RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { ProxyCall } from './proxy-call.js';

/** @param headers those that may be forwarded */
export function toRiskRequest(
  {
    method,
    targetUrl,
    body,
    intent,
    unstatedIntent,
  }: Pick<ProxyCall, 'method' | 'targetUrl' | 'body' | 'intent' | 'unstatedIntent'>,
  headers: Record<string, string>,
): RiskRequest {
  const request: RiskRequest = {
    method,
    targetUrl,
    headers,
    body: body?.judged ?? null,
    rawBody: null,
    binaryBytes: body?.binaryBytes ?? null,
    bodyDescription: body?.description ?? null,
    intent,
    unstatedIntent,
  };
  if (body?.isCoded) {
    // Nobody has charged the memory of this copy, so it must not last as long as the request.
    Object.defineProperty(request, 'rawBody', { get: () => body.raw, enumerable: true });
  }
  return request;
}

/** A call that the configuration of its agent admits. */
export class ReviewedCall {
  private place: string | null = null;
  private joining: string | null = null;
  private hashes: string[] | null = null;

  constructor(
    readonly agent: AgentView,
    readonly call: ProxyCall,
    readonly service: ServiceView,
    /** The URL as the egress guard read it. */
    readonly url: URL,
    /** The headers that may be forwarded. */
    readonly headers: Record<string, string>,
    /** The request as the risk assessor sees it. */
    readonly riskRequest: RiskRequest,
    /** The verdict, if it is known without the model. Null: only the model can tell. */
    readonly verdict: RiskVerdict | null,
  ) {}

  private get compared(): Compared {
    const { method, body } = this.call;
    const { id: serviceId, auth } = this.service;
    return { serviceId, isAws: auth?.aws != null, method, url: this.url, headers: this.headers, body };
  }

  /** Computes the hashes. After it, `equality` and `wholeEqualRequest` take no time. */
  *hashSteps(): ShortSteps<void> {
    this.joining ??= yield* joiningHashSteps(this.compared);
    this.hashes ??= yield* denialHashSteps(this.compared);
  }

  /** The hashes by which an action of this call is found again. */
  get equality(): { equalHash: string; targetHash: string; denialHashes: string[] } {
    atOnce(this.hashSteps());
    return { equalHash: this.joining!, targetHash: targetHash(this.compared), denialHashes: this.hashes! };
  }

  /** The criteria by which a standing denial may match. They don't read the body. */
  equalRequest({ rule }: RiskVerdict): EqualRequest {
    const deciding = rule === null ? undefined : this.service.rules.find(({ id }) => id === rule.id);
    const allowedAtMs = deciding?.effect === 'allow' ? deciding.createdAt : null;
    return { targetHash: (this.place ??= targetHash(this.compared)), hashes: null, allowedAtMs };
  }

  /** The criteria by which a standing denial matches. */
  wholeEqualRequest(verdict: RiskVerdict): EqualRequest & { hashes: string[] } {
    return { ...this.equalRequest(verdict), hashes: this.equality.denialHashes };
  }
}
