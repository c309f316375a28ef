import { Injectable } from '@nestjs/common';
import type { RequestEffect } from '#contracts/risk';
import { EgressClient } from '#egress';
import type { RequestToHold } from '../approvals/approval-queue.js';
import { guardAddress } from '../egress/egress-errors.js';
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
  constructor(
    private readonly egress: EgressClient,
    private readonly operations: OperationIndex,
    private readonly facts: RequestFactsReader,
  ) {}

  /** @param joins whether an equal request that waits is the same action @throws ApiError 403 */
  async toHold(reviewed: ReviewedCall, verdict: RiskVerdict, joins: boolean): Promise<RequestToHold> {
    const { agent, call, service, url, headers, equality } = reviewed;
    // No approver should see a request that can never be sent.
    await guardAddress(url, this.egress);
    const summary = await this.summarize(reviewed);
    const effects = await this.effects(reviewed);
    return {
      ...call,
      agent,
      service,
      headers,
      verdict: asHeld(verdict, effects),
      summary,
      effects,
      ...equality,
      joins,
    };
  }

  /** What the request would do, in words. */
  async effects({ agent, service, riskRequest }: ReviewedCall): Promise<readonly RequestEffect[]> {
    return (await this.facts.of(agent.id, service, riskRequest)).effects;
  }

  /** What the request would do, in one line. */
  async summarize({ call, service, url, riskRequest }: ReviewedCall): Promise<string> {
    const operation = await this.operations.match(service, call.method, url.href, calledTools(riskRequest));
    return describeRequest(
      judgedMethod(riskRequest),
      url,
      service,
      operation,
      statedOperation(riskRequest),
      rpcFacts(riskRequest),
    );
  }
}
