import { Injectable } from '@nestjs/common';
import type { ProxyRequestBody } from '#contracts';
import type { AgentView } from '../agents/agent-directory.js';
import { ActionExecutor } from './action-executor.js';
import { inside, type Exchange } from './around.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import type { ProxyOutcome } from './outcome.js';
import { toProxyCall, type CallTerms } from './proxy-request.guard.js';
import { RequestDecision } from './request-decision.js';

/** `POST /proxy` and `POST /proxy/execute/:actionId` for callers in this process: the same way through, without HTTP. */
@Injectable()
export class AgentRequests {
  constructor(
    private readonly audit: AuditInterceptor,
    private readonly idempotency: IdempotencyInterceptor,
    private readonly decision: RequestDecision,
    private readonly executor: ActionExecutor,
  ) {}

  /** @throws ApiError as `POST /proxy` answers */
  async send(agent: AgentView, body: ProxyRequestBody, terms: CallTerms): Promise<ProxyOutcome> {
    const call = toProxyCall(body, null, terms);
    const exchange: Exchange = { agent, proxyCall: call, requestId: call.requestId, path: '/proxy', params: {} };
    return inside([this.audit, this.idempotency], exchange, () => this.decision.decide(exchange.agent, call));
  }

  /** @param agent as it is in the database now @throws ApiError as `POST /proxy/execute/:actionId` answers */
  execute(agent: AgentView, actionId: string, requestId: string): Promise<ProxyOutcome> {
    const exchange: Exchange = { agent, requestId, path: `/proxy/execute/${actionId}`, params: { actionId } };
    return inside([this.audit], exchange, () => this.executor.execute(exchange.agent, actionId, requestId));
  }
}
