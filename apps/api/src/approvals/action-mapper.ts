import type {
  Action,
  ActionApprovals,
  ActionSummary,
  Actor,
  RepeatedAction,
  StatusResponse,
  StoredResponse,
} from '#contracts';
import type { ActionEntity } from '#database';
import { errors } from '../platform/errors.js';
import { effectiveDigest } from './action-digest.js';
import type { ActionFacts } from './action-facts.js';
import { candidates, counting, isCandidate, obstacleOf } from './approvers.js';
import { toAssessment } from './held-assessment.js';
import { beginningOf, type Listed } from './listed-bodies.js';
import { aboutRevision, afterRevision, revisedRequest } from './revised-words.js';
import { toStoredResponse } from '../egress/answer.js';
import type { ActingMember } from '../membership/member.js';
import type { Payload } from '../egress/payload.js';

/** The maximum number of people who may approve that an item names. */
const NAMED_MAX = 10;

/** Long bodies are cut, and binary ones left out. */
export function toListedAction(
  { action, isBodyCut, isResultCut, digest, bodyBytes }: Listed,
  facts: ActionFacts,
  reader: ActingMember,
): Action {
  const item = toAction(action, toActionSummary(action, facts, reader, { digest, bodyBytes }));
  return {
    ...item,
    ...(isBodyCut && { bodyTruncated: true }),
    result: item.result && isResultCut ? { ...item.result, bodyTruncated: true } : item.result,
  };
}

/** Includes the whole body. `toAction` leaves a binary one out. */
export function toShownAction(
  action: ActionEntity,
  facts: ActionFacts,
  reader: ActingMember,
  body: Payload | null,
): Action {
  const of = { digest: effectiveDigest(action), bodyBytes: body?.bytes.length ?? null };
  return {
    ...toAction(action, toActionSummary(action, facts, reader, of)),
    ...(body !== null && body.text === null && { body: body.bytes.toString('base64') }),
    ...(body?.parts && { parts: [...body.parts] }),
  };
}

/** Cuts the bodies that are longer than an excerpt. */
export function toExcerpt(item: Action): Action {
  return { ...item, ...toBeginning(item), result: item.result && { ...item.result, ...toBeginning(item.result) } };
}

/** The beginning of a long body, with the mark that it is one. */
function toBeginning({
  body,
  bodyEncoding,
}: Pick<Action, 'body' | 'bodyEncoding'>): { body: string; bodyTruncated: true } | null {
  const bytes = Buffer.from(body ?? '', bodyEncoding ?? 'utf8');
  const beginning = beginningOf(bytes);
  return beginning === bytes ? null : { body: beginning.toString(bodyEncoding ?? 'utf8'), bodyTruncated: true };
}

/** Adds what a summary leaves out. */
function toAction(action: ActionEntity, summary: ActionSummary): Action {
  return {
    ...summary,
    headers: action.headers,
    body: action.body,
    ...(action.body === null && action.bodyHash !== null && { bodyEncoding: 'base64' as const }),
    result: toResult(action),
  };
}

/**
 * Converts a stored action to a response. Its bodies may be unread.
 * @param reader who gets the response
 */
export function toActionSummary(
  action: ActionEntity,
  facts: ActionFacts,
  reader: ActingMember,
  { digest, bodyBytes }: Pick<ActionSummary, 'digest' | 'bodyBytes'>,
): ActionSummary {
  return {
    action_id: action.id,
    status: action.effectiveStatus,
    blocked: facts.blocked.get(action.id) ?? null,
    approvals: toApprovals(action, facts, reader),
    repeats: toRepeated(action.repeats),
    revises: action.revises,
    revised_as: action.revisedAs,
    created_at: action.createdAt.toISOString(),
    resolved_at: action.resolvedAt?.toISOString() ?? null,
    expires_at: action.expiresAt.toISOString(),
    approvalExpiresAt: action.approvalExpiresAt?.toISOString() ?? null,
    countsFrom: action.countsFrom?.toISOString() ?? null,
    executing: action.claimId !== null,
    summary: action.summary,
    headline: action.headline ?? action.summary,
    agent: { id: action.agentId, name: action.agentName },
    service: { id: action.serviceId, name: action.serviceName },
    method: action.method,
    targetUrl: action.targetUrl,
    bodyBytes,
    bodyType: contentType(action.headers),
    digest,
    intent: action.intent,
    risk_score: action.riskScore,
    assessment: toAssessment(action),
    risk_explanation: action.riskExplanation,
    risk_source: action.riskSource,
    effects: action.effects ?? [],
    resolved_by: toResolver(action),
    resolution_note: action.resolutionNote,
    times_asked: action.timesAsked,
    last_polled_at: action.lastPolledAt?.toISOString() ?? null,
    executed_at: action.executedAt?.toISOString() ?? null,
  };
}

export const contentType = (headers: ActionEntity['headers']): string | null =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null;

function toApprovals(action: ActionEntity, { approvers }: ActionFacts, reader: ActingMember): ActionApprovals {
  const isPending = action.effectiveStatus === 'PENDING';
  const given = isPending ? counting(action, approvers) : action.approvals;
  const possible = isPending ? candidates(action, approvers) : [];
  const needed = action.approvalsNeeded;
  const hasApproved = given.some(({ id }) => id === reader.id);
  const mayNot = !hasApproved && !isCandidate(reader, possible);
  return {
    needed,
    given: given.map(({ id, name, at, note }) => ({ id, name, at, note })),
    mayApprove: possible.slice(0, NAMED_MAX),
    mayApproveCount: possible.length,
    tooFew: isPending && given.length + possible.length < needed,
    you: hasApproved ? 'approved' : mayNot ? 'may_not' : 'may_approve',
    ...(isPending && mayNot && { whyNot: obstacleOf(action, reader) }),
  };
}

function toRepeated(earlier: ActionEntity['repeats']): RepeatedAction | null {
  if (earlier === null) return null;
  return {
    action_id: earlier.id,
    status: earlier.status,
    resolved_by: toResolver(earlier),
    resolved_at: earlier.resolvedAt === null ? null : new Date(earlier.resolvedAt).toISOString(),
  };
}

export function toResolver(action: Pick<ActionEntity, 'resolvedBy' | 'resolvedByName'>): Actor | null {
  return action.resolvedByName === null ? null : { id: action.resolvedBy, name: action.resolvedByName };
}

function toResult(action: ActionEntity): StoredResponse | null {
  if (action.resultStatus === null) return null;
  const stored = toStoredResponse({
    status: action.resultStatus,
    headers: action.resultHeaders ?? [],
    body: action.resultBody ?? Buffer.alloc(0),
  });
  return action.resultFromUpstream === false ? { ...stored, fromUpstream: false } : stored;
}

const asRevision = (action: ActionEntity) =>
  action.revises !== null && {
    revises: action.revises,
    request: revisedRequest(action),
    next: aboutRevision(action.id),
  };

/** The status for the agent (docs/reference/agent-api.md#status). */
export function toStatusResponse(action: ActionEntity): StatusResponse {
  const { agentStatus: status, id: action_id } = action;
  switch (status) {
    case 'PENDING':
      return { status, action_id, created_at: action.createdAt.toISOString(), ...asRevision(action) };
    case 'APPROVED':
      return { status, action_id, execute_url: `/proxy/execute/${action_id}`, ...asRevision(action) };
    case 'DENIED':
      return {
        status,
        action_id,
        resolved_at: action.resolvedAt?.toISOString() ?? null,
        resolution_note: action.resolutionNote,
        ...(action.revisedAs !== null && { revised_as: action.revisedAs, next: afterRevision(action.revisedAs) }),
      };
    case 'EXPIRED':
      return { status, action_id };
    case 'EXECUTED':
      return { status, action_id, result: toResult(action) ?? { status: 502, headers: {}, body: '' } };
    default:
      throw errors.unknownActionStatus(String(status satisfies never));
  }
}
