import { hash } from 'node:crypto';
import type { AgentView } from '../agents/agent-directory.js';
import type { EqualRequest } from '../audit/standing-denial.js';
import type { RiskRequest, RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../services/service-view.js';
import type { ProxyCall } from './proxy-call.js';

/** @param headers those that may be forwarded */
export function riskRequestOf(
  {
    method,
    targetUrl,
    body,
    intent,
    unstatedIntent,
  }: Pick<ProxyCall, 'method' | 'targetUrl' | 'body' | 'intent' | 'unstatedIntent'>,
  headers: Record<string, string>,
): RiskRequest {
  return {
    method,
    targetUrl,
    headers,
    body: body?.judged ?? null,
    bodyDescription: body?.description ?? null,
    intent,
    unstatedIntent,
  };
}

/** A call that the configuration of its agent admits. */
export class ReviewedCall {
  private hash: string | null = null;

  constructor(
    readonly agent: AgentView,
    readonly call: ProxyCall,
    readonly service: ServiceView,
    /** The URL as the egress guard read it. */
    readonly url: URL,
    /** The headers that may be forwarded. */
    readonly headers: Record<string, string>,
    /** The verdict, if it is known without the model. Null: only the model can tell. */
    readonly verdict: RiskVerdict | null,
  ) {}

  /** The request as the risk assessor sees it. */
  get riskRequest(): RiskRequest {
    return riskRequestOf(this.call, this.headers);
  }

  /**
   * Identifies equal requests: SHA-256 hex over method, URL, body and forwarded headers in any order. It leaves out the
   * service, because two services may have the same base URL.
   */
  get equalHash(): string {
    if (this.hash !== null) return this.hash;
    const { method, targetUrl, body } = this.call;
    const sorted = Object.entries(this.headers)
      .map(([name, value]) => [name.toLowerCase(), value])
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const head = `${JSON.stringify([method, targetUrl, sorted])}\n`;
    // The hash is kept, because it reads the whole body.
    this.hash = body === null ? hash('sha256', head, 'hex') : body.hashedAfter(head);
    return this.hash;
  }

  /** The criteria by which a standing denial matches. */
  equalRequest({ rule }: RiskVerdict): EqualRequest {
    const deciding = rule === null ? undefined : this.service.rules.find(({ id }) => id === rule.id);
    return { hash: this.equalHash, allowedAtMs: deciding?.effect === 'allow' ? deciding.createdAt : null };
  }
}
