import { Injectable } from '@nestjs/common';
import type { ReviseActionRequest } from '#contracts';
import { PROXY_BODY_LARGEST_BYTES } from '#contracts/limits';
import type { ActionEntity } from '#database';
import { AgentDirectory, type AgentView } from '../agents/agent-directory.js';
import { isStale } from '../agents/stale-configuration.js';
import { ActionFactsReader } from '../approvals/action-facts.js';
import { ApprovalQueue, type RequestToHold } from '../approvals/approval-queue.js';
import { Decisions } from '../approvals/decisions.js';
import { HeldBodies } from '../approvals/held-bodies.js';
import { IdempotencyStore } from '../idempotency/idempotency-store.js';
import type { ActingMember } from '../membership/member.js';
import { errors } from '../platform/errors.js';
import { retry } from '../platform/retry.js';
import { RiskAssessor } from '../risk/risk-assessor.js';
import { toDenialError } from '../risk/rule-verdict.js';
import { HoldPreparation } from './hold-preparation.js';
import type { ProxyCall } from './proxy-call.js';
import { Refusal } from './refusal.js';
import { RequestReviewer } from './request-reviewer.js';
import { toProxyCall } from './to-proxy-call.js';

const ATTEMPTS = 4;

/**
 * "Edit and approve": a person changes a held request, which then passes the same checks as one that the agent sends
 * (docs/reference/states.md#revisions).
 */
@Injectable()
export class Revisions {
  constructor(
    private readonly queue: ApprovalQueue,
    private readonly decisions: Decisions,
    private readonly facts: ActionFactsReader,
    private readonly bodies: HeldBodies,
    private readonly agents: AgentDirectory,
    private readonly reviewer: RequestReviewer,
    private readonly risk: RiskAssessor,
    private readonly preparation: HoldPreparation,
    private readonly keys: IdempotencyStore,
  ) {}

  /**
   * Revises a held request.
   * @returns the revision
   * @throws ApiError 400, 403, 404, 409, 413, 415
   */
  revise(
    member: ActingMember,
    actionId: string,
    change: ReviseActionRequest,
    requestId: string,
  ): Promise<ActionEntity> {
    return retry(() => this.attempt(member, actionId, change, requestId), { attempts: ATTEMPTS, when: isStale });
  }

  private async attempt(
    member: ActingMember,
    actionId: string,
    change: ReviseActionRequest,
    requestId: string,
  ): Promise<ActionEntity> {
    const action = await this.queue.ofWorkspace(member.workspaceId, actionId);
    if (action.effectiveStatus !== 'PENDING') throw errors.alreadyDecided(action.effectiveStatus);
    const agent = await this.readUnpausedAgent(member, action);
    const request = await this.assessed(agent, action, await this.changed(action, change, requestId));
    if (request.equalHash === action.equalHash)
      throw errors.invalid('The revised request is the same: approve it instead');
    const { note = null, digest } = change;
    return this.decisions.revise(member, action.id, request, { note, digest }, (tx, revisionId) =>
      this.keys.moveTo(tx, action.id, revisionId),
    );
  }

  /**
   * A pause stops requests, but people can still decide.
   * @throws ApiError 409
   */
  private async readUnpausedAgent(member: ActingMember, action: ActionEntity): Promise<AgentView> {
    const { blocked } = await this.facts.of(member.workspaceId, [action]);
    const obstacle = blocked.get(action.id);
    const agent = action.agentId === null ? null : await this.agents.byId(action.agentId);
    if (obstacle !== undefined || agent === null) throw errors.actionBlocked(obstacle ?? 'The agent was deleted');
    return { ...agent, paused: null, services: agent.services.map((service) => ({ ...service, paused: null })) };
  }

  /** The changed request, read as if the agent had sent it. @throws ApiError 400, 413, 415 */
  private async changed(action: ActionEntity, change: ReviseActionRequest, requestId: string): Promise<ProxyCall> {
    const { method = action.method, targetUrl = action.targetUrl, body } = change;
    const kept = body === undefined ? await this.bodies.of(action) : null;
    const headers = change.headers ?? (body === undefined ? action.headers : withoutCodings(action.headers));
    const text = kept?.isPlain ? kept.text : (body ?? null);
    const given = { method, targetUrl, headers, body: text, intent: action.intent };
    const terms = { waitSeconds: 0, dryRun: false, requestId, room: null, gone: () => new AbortController().signal };
    // A new key that no other call uses. The revision later takes over the keys of the action.
    return toProxyCall(
      given,
      action.id,
      { ...terms, serviceId: action.serviceId },
      {
        bytes: kept?.isPlain === false ? kept.bytes : null,
        maxBytes: PROXY_BODY_LARGEST_BYTES,
      },
    );
  }

  /** @throws ApiError 403 as for a request of the agent, 404 */
  private async assessed(agent: AgentView, action: ActionEntity, call: ProxyCall): Promise<RequestToHold> {
    const reviewed = this.reviewer.review(agent, call);
    if (reviewed instanceof Refusal) throw reviewed;
    const { service, riskRequest } = reviewed;
    // A request to another service would need the rules and approvers of that service.
    if (service.id !== action.serviceId) throw errors.invalid('targetUrl: must be a URL of the same service');
    // Limits are kept when the action is executed.
    const verdict = await this.risk.preview(agent.id, service, riskRequest, false);
    if (verdict.decision === 'deny') throw toDenialError(verdict);
    return this.preparation.toHold(reviewed, verdict, false);
  }
}

/** A new body is text that nobody encoded. */
const withoutCodings = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-encoding'));
