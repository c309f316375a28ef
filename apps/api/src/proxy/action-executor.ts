import { Injectable } from '@nestjs/common';
import { EgressClient } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import type { AnswerRoom } from '../agents/answer-room.js';
import type { ActionEntity } from '#database';
import { actionDigest } from '../approvals/action-digest.js';
import { HeldBodies } from '../approvals/held-bodies.js';
import { ExecutionClaims } from '../approvals/execution-claims.js';
import { SEND_WITHIN_MS } from '../platform/claim-time.js';
import { Clock } from '../platform/clock.js';
import { EgressConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { RequestFactsReader } from '../risk/request-facts-reader.js';
import { Metrics } from '../observability/metrics.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import { isRepeatableRequest } from '../request-reading/repeatable-request.js';
import type { ServiceView } from '../service-view/service-view.js';
import { guardAddress, guardTarget } from '../egress/egress-errors.js';
import type { Payload } from '../egress/payload.js';
import { Claims } from './claims.js';
import { toExecution } from './execution.js';
import { Forwarder } from './forwarder.js';
import { mayBeSent } from './outgoing-body.js';
import type { ProxyOutcome } from './outcome.js';
import { Refusal } from './refusal.js';
import { toRiskRequest } from './reviewed-call.js';
import { assertBelongsTo } from './service-resolution.js';

/**
 * Executes an approved action once: checks it against the current configuration, claims it, sends it, and stores the
 * answer.
 */
@Injectable()
export class ActionExecutor {
  constructor(
    private readonly executions: ExecutionClaims,
    private readonly bodies: HeldBodies,
    private readonly claims: Claims,
    private readonly forwarder: Forwarder,
    private readonly egress: EgressClient,
    private readonly risk: RiskAssessor,
    private readonly facts: RequestFactsReader,
    private readonly config: EgressConfig,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** @param agent as it is in the database now, not from the cache */
  async execute(agent: AgentView, actionId: string, requestId: string, room: AnswerRoom | null): Promise<ProxyOutcome> {
    if (agent.paused !== null) throw errors.paused(agent.paused);
    const action = await this.executions.executable(agent.id, actionId, room);
    const service = requireService(agent, action, requestId);
    const url = guardTarget(action.targetUrl, service, this.config);
    // The agent's services may have changed since the approval.
    assertBelongsTo(agent, action.targetUrl, service);
    const body = await this.approvedBody(action, service, room);
    await guardAddress(url, this.egress);

    // A rule that was created after the approval stops the action too.
    const { headers, method, targetUrl, intent } = action;
    const request = toRiskRequest({ method, targetUrl, body, intent }, headers);
    request.agentName = agent.name;
    await this.risk.assertNotDenied(agent.id, service, request);
    const limits = await this.risk.limitsOf(agent.id, service, request);

    const sendByMs = this.clock.monotonicMs() + SEND_WITHIN_MS;
    const claimId = await this.executions.claim(action, room);
    const answer = await this.forwarder
      .forward({
        kind: 'execution',
        claimId,
        recorded: false,
        sendByMs,
        agent,
        service,
        method,
        targetUrl,
        url,
        headers,
        body,
        intent,
        risk: { score: action.riskScore, explanation: action.riskExplanation, source: action.riskSource },
        actionId: action.id,
        requestId,
        room,
        streaming: 'none',
        limits,
        counted: null,
      })
      .catch((error: unknown) =>
        this.claims.endUnanswered(
          {
            claimId,
            isRepeatable: () => isRepeatableRequest(request),
            complete: (sent) => this.executions.complete(action.id, claimId, sent),
            release: () => this.executions.release(action.id, claimId),
          },
          error,
        ),
      );
    // The request was sent. If its answer can't be stored, the claim stays until the settlement ends it.
    await this.metrics.step('store', () => this.executions.complete(action.id, claimId, answer));
    this.facts.sent(agent.id, service, request);
    return { kind: 'answered', answer, via: 'executed-approved', reason: 'none' };
  }

  /** The body, once it and the rest of the request are what was approved. @throws ApiError 409 */
  private async approvedBody(
    action: ActionEntity,
    service: ServiceView,
    room: AnswerRoom | null,
  ): Promise<Payload | null> {
    const read = () => this.bodies.of(action);
    // The text of a plain body is that of the action.
    const body = await (room === null
      ? read()
      : room.reading(read, (payload) => ({ payload, body: payload?.isPlain ? null : action.body })));
    if (body !== null && !mayBeSent(body, service)) throw errors.notWhatWasApproved();
    const bodyHash = action.bodyHash === null || body === null ? action.bodyHash : body.hashedAfter('');
    const digest = actionDigest({ ...action, bodyHash }, service.baseUrl);
    // An older version stored no digest with its approvals. Those can still be executed.
    if (action.approvedDigest !== null && action.approvedDigest !== digest) throw errors.notWhatWasApproved();
    return body;
  }
}

/** @throws ApiError 403, 410; Refusal 403 while it is paused */
function requireService(agent: AgentView, action: ActionEntity, requestId: string): ServiceView {
  if (action.serviceId === null) throw errors.serviceGone();
  const service = agent.services.find(({ id }) => id === action.serviceId);
  if (service === undefined) throw errors.noAccessToService();
  if (service.paused === null) return service;
  const { call } = toExecution(agent, action.id, requestId);
  throw new Refusal(errors.paused(service.paused), agent, call, service);
}
