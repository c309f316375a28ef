import { hash } from 'node:crypto';
import type { Request } from 'express';
import type { HttpMethod } from '#contracts';
import type { ActionEntity } from '#database';
import type { EqualRequest } from '../audit/standing-denial.js';
import type { Claim } from '../idempotency/idempotency-store.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../services/service-view.js';

/** One `POST /proxy`, well formed. */
export interface ProxyCall {
  method: HttpMethod;
  /** As the agent wrote it. */
  targetUrl: string;
  /** As the agent gave them, the default content type added. What may not be forwarded is dropped once the service is known. */
  headers: Record<string, string>;
  body: string | null;
  intent: string;
  idempotencyKey: string | null;
  /** Once it is known. */
  service: ServiceView | null;
  /** Once it is made; a changed configuration makes it null again. */
  review: Review | null;
  /** The claim on the idempotency key, while it is held. */
  claim: Claim | null;
  /** From `Prefer: wait=N`; 0: does not wait. */
  waitSeconds: number;
  /** From `Prefer: handling=dry-run`: to be judged, not sent. */
  dryRun: boolean;
  requestId: string;
  /** Aborts when the agent goes away. */
  gone: AbortSignal;
  /** The service that the caller has named, beside the target; null: there is none of that name. Undefined: named none. */
  serviceId?: number | null;
  /** The intent is the gateway's own wording, since the caller gave none. */
  unstatedIntent?: boolean;
  /** Told when the wait for a decision begins. */
  onHeld?: (action: ActionEntity) => void;
}

/** What a call comes to under the configuration of its agent. */
export interface Review {
  service: ServiceView;
  /** As the egress guard read it. */
  url: URL;
  /** Those that may be forwarded. */
  headers: Record<string, string>;
  /** null until it is judged. */
  verdict: RiskVerdict | null;
  /** `equalHash`, once somebody has asked for it: it reads the whole body. */
  hash: string | null;
}

export type ProxyHttpRequest = Request & { proxyCall: ProxyCall };

/** SHA-256 hex of `<method>:<targetUrl>:<body or empty>` (docs/reference/idempotency.md#request-hash). */
export function requestHash({ method, targetUrl, body }: ProxyCall): string {
  return hash('sha256', `${method}:${targetUrl}:${body ?? ''}`, 'hex');
}

/**
 * What is the same for all equal requests: SHA-256 hex over method, URL, body and the headers that are forwarded, in
 * whatever order those come. The service is left out: two services may have the same base URL.
 */
export function equalHash({ method, targetUrl, body }: ProxyCall, review: Review): string {
  if (review.hash !== null) return review.hash;
  const sorted = Object.entries(review.headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  // The body is not quoted: it may be megabytes.
  review.hash = hash('sha256', `${JSON.stringify([method, targetUrl, sorted])}\n${body ?? ''}`, 'hex');
  return review.hash;
}

/** What a standing denial is looked for by. */
export function equalRequest(call: ProxyCall, review: Review): EqualRequest {
  const ruleId = review.verdict?.rule?.id;
  const rule = ruleId === undefined ? undefined : review.service.rules.find(({ id }) => id === ruleId);
  return { hash: equalHash(call, review), allowedAtMs: rule?.effect === 'allow' ? rule.createdAt : null };
}
