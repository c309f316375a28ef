import { Injectable, Logger } from '@nestjs/common';
import type { RequestEffect } from '#contracts/risk';
import { EgressClient } from '#egress';
import type { RequestToHold } from '../approvals/approval-queue.js';
import { guardAddress } from '../egress/egress-errors.js';
import { requestHeadline, type HeadlineRequest } from '../headlines/request-headline.js';
import { asHeld } from '../risk/held-score.js';
import { RequestFactsReader } from '../risk/request-facts-reader.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import { OperationIndex } from '../documentation/operation-index.js';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { Turns } from '../platform/turns.js';
import { isLong } from '../request-reading/request-content.js';
import { judgedMethod } from '../request-reading/request-methods.js';
import { calledTools, rpcSteps } from '../request-reading/rpc-calls.js';
import { describeRequest } from '../request-reading/request-summary.js';
import { statedSteps } from '../request-reading/stated-operation.js';
import type { ReviewedCall } from './reviewed-call.js';

/** Prepares a reviewed call for the people who decide about it. */
@Injectable()
export class HoldPreparation {
  private readonly logger = new Logger(HoldPreparation.name);

  constructor(
    private readonly egress: EgressClient,
    private readonly operations: OperationIndex,
    private readonly facts: RequestFactsReader,
    private readonly turns: Turns,
  ) {}

  /** @param joins whether an equal request that waits is the same action @throws ApiError 403 */
  async toHold(reviewed: ReviewedCall, verdict: RiskVerdict, joins: boolean): Promise<RequestToHold> {
    const { agent, call, service, url, headers, riskRequest: request } = reviewed;
    // No approver should see a request that can never be sent.
    await guardAddress(url, this.egress);
    const effects = await this.effects(reviewed);
    await this.hash(reviewed);
    const { equality } = reviewed;
    const { operation, stated, rpc } = await this.statement(reviewed);
    const summary = describeRequest(judgedMethod(request), url, service, operation, stated, rpc);
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
  effects({ agent, service, riskRequest }: ReviewedCall): Promise<readonly RequestEffect[]> {
    return this.facts.effects(agent.id, service, riskRequest);
  }

  /** What the request would do, in one line. */
  async summarize(reviewed: ReviewedCall): Promise<string> {
    const { service, url, riskRequest: request } = reviewed;
    const { operation, stated, rpc } = await this.statement(reviewed);
    return describeRequest(judgedMethod(request), url, service, operation, stated, rpc);
  }

  /** Computes the hashes by which the request is found again. */
  async hash(reviewed: ReviewedCall): Promise<void> {
    await this.inTurns(reviewed, reviewed.hashSteps());
  }

  /** The operation, as documents and the request itself name it. */
  private async statement(reviewed: ReviewedCall): Promise<Pick<HeadlineRequest, 'operation' | 'stated' | 'rpc'>> {
    const { call, service, url, riskRequest } = reviewed;
    const rpc = await this.inTurns(reviewed, rpcSteps(riskRequest));
    const stated = await this.inTurns(reviewed, statedSteps(riskRequest));
    const operation = await this.operations.match(service, call.method, url.href, calledTools(riskRequest));
    return { operation, stated, rpc };
  }

  /** One agent with long bodies must not make others wait. */
  private inTurns<Result>({ agent, riskRequest }: ReviewedCall, steps: ShortSteps<Result>): Result | Promise<Result> {
    return isLong(riskRequest) ? this.turns.finishInOrder(agent.id, steps) : atOnce(steps);
  }
}
