import { Injectable, Logger } from '@nestjs/common';
import type { RequestEffect } from '#contracts/risk';
import type { DocumentedOperationEntity } from '#database';
import { EgressClient } from '#egress';
import type { RequestToHold } from '../approvals/approval-queue.js';
import { guardAddress } from '../egress/egress-errors.js';
import { requestHeadline, type HeadlineRequest } from '../headlines/request-headline.js';
import { asHeld } from '../risk/held-score.js';
import { RequestFactsReader } from '../risk/request-facts-reader.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { OperationIndex } from '../documentation/operation-index.js';
import { judgedMethod } from '../request-reading/request-methods.js';
import { calledTools, rpcFacts } from '../request-reading/rpc-calls.js';
import { describeRequest } from '../request-reading/request-summary.js';
import { statedOperation } from '../request-reading/stated-operation.js';
import type { ReviewedCall } from './reviewed-call.js';

/** Prepares a reviewed call for the people who decide about it. */
@Injectable()
export class HoldPreparation {
  private readonly logger = new Logger(HoldPreparation.name);

  constructor(
    private readonly egress: EgressClient,
    private readonly operations: OperationIndex,
    private readonly facts: RequestFactsReader,
  ) {}

  /** @param joins whether an equal request that waits is the same action @throws ApiError 403 */
  async toHold(reviewed: ReviewedCall, verdict: RiskVerdict, joins: boolean): Promise<RequestToHold> {
    const { agent, call, service, url, headers, riskRequest: request, equality } = reviewed;
    // No approver should see a request that can never be sent.
    await guardAddress(url, this.egress);
    const operation = await this.operationOf(reviewed);
    const [stated, rpc] = [statedOperation(request), rpcFacts(request)];
    const summary = describeRequest(judgedMethod(request), url, service, operation, stated, rpc);
    const effects = await this.effects(reviewed);
    const parts = call.body?.parts ?? null;
    const about = { request, url, service, operation, stated, rpc, effects, parts, ...equality };
    const headline = this.headlineOf(about) ?? summary;
    return {
      ...call,
      agent,
      service,
      headers,
      verdict: asHeld(verdict, effects),
      summary,
      headline,
      effects,
      ...equality,
      joins,
    };
  }

  /** A bug must not keep a request from the people who decide about it. */
  private headlineOf(about: HeadlineRequest): string | null {
    try {
      return requestHeadline(about);
    } catch (error) {
      this.logger.error('A request has no headline', error instanceof Error ? error.stack : undefined);
      return null;
    }
  }

  /** What the request would do, in words. */
  async effects({ agent, service, riskRequest }: ReviewedCall): Promise<readonly RequestEffect[]> {
    return (await this.facts.of(agent.id, service, riskRequest)).effects;
  }

  /** What the request would do, in one line. */
  async summarize(reviewed: ReviewedCall): Promise<string> {
    const { service, url, riskRequest: request } = reviewed;
    const operation = await this.operationOf(reviewed);
    return describeRequest(judgedMethod(request), url, service, operation, statedOperation(request), rpcFacts(request));
  }

  private operationOf({ call, service, url, riskRequest }: ReviewedCall): Promise<DocumentedOperationEntity | null> {
    return this.operations.match(service, call.method, url.href, calledTools(riskRequest));
  }
}
