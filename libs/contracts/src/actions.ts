import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Actor } from './actor.js';
import { APPROVALS_MAX } from './limits.js';
import { StoredResponse } from './proxy.js';
import { RequestEffect } from './risk.js';
import {
  ACTION_STATUSES,
  ASSESSMENT_STATES,
  HTTP_METHODS,
  RISK_SOURCES,
  type ActionStatus,
  type AssessmentState,
  type HttpMethod,
  type RiskSource,
} from './states.js';

/** An earlier, equal request that was held. */
export class RepeatedAction {
  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus;

  @ApiProperty({ nullable: true, type: Actor })
  resolved_by: Actor | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;
}

/** One approval of an action. */
export class ActionApproval {
  /** The id of the account. */
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ nullable: true, type: String })
  note: string | null;
}

const YOUR_APPROVAL = ['may_approve', 'approved', 'may_not'] as const;
const APPROVAL_OBSTACLES = ['role', 'not_named', 'made_agent'] as const;

/** Who must approve an action, who has, and who may. */
export class ActionApprovals {
  /** How many people must approve. Fixed when the action was queued. */
  @ApiProperty({ minimum: 1, maximum: APPROVALS_MAX })
  needed: number;

  /**
   * While the action is pending: the approvals that count. An approval counts while its giver may still decide, and
   * while the service has the base URL that the giver saw.
   */
  @ApiProperty({ type: [ActionApproval] })
  given: ActionApproval[];

  /** The people who may give the next approval: at most ten, by name. Empty unless the action is pending. */
  @ApiProperty({ type: [Actor] })
  mayApprove: Actor[];

  @ApiProperty()
  mayApproveCount: number;

  /** Whether fewer people may approve the action than it needs. */
  @ApiProperty()
  tooFew: boolean;

  /** What you can do. */
  @ApiProperty({ enum: YOUR_APPROVAL })
  you: (typeof YOUR_APPROVAL)[number];

  /**
   * Why you may not approve a pending action: your role is too low, rules name other people, or you made the agent or a
   * key of it that still works. Missing otherwise.
   */
  @ApiPropertyOptional({ enum: APPROVAL_OBSTACLES })
  whyNot?: (typeof APPROVAL_OBSTACLES)[number];
}

/** One part of a form that uploads files. */
export class ActionPart {
  @ApiProperty({ example: 'file' })
  name: string;

  /** Present for a file. */
  @ApiPropertyOptional({ example: 'report.pdf' })
  filename?: string;

  @ApiProperty({ example: 'application/pdf' })
  contentType: string;

  /** The size in bytes. */
  @ApiProperty()
  size: number;

  /** The value of a field. Missing for a file. */
  @ApiPropertyOptional()
  text?: string;
}

/** Where the score of a held request comes from. Each score is from 0 to 1. */
export class ActionAssessment {
  /**
   * `pending`: the model is being asked. Until it answers, the risk counts as critical wherever a lower one needs less.
   * `done`: it has answered. `failed`: it gave no verdict. `off`: it is not asked, or the action was decided before.
   */
  @ApiProperty({ enum: ASSESSMENT_STATES, enumName: 'AssessmentState' })
  state: AssessmentState;

  /** The score of the method. null for actions that an earlier version held. */
  @ApiProperty({ nullable: true, type: Number })
  method: number | null;

  /** The score of what the request does. null for actions that an earlier version held. */
  @ApiProperty({ nullable: true, type: Number })
  effects: number | null;

  /** The model's own score. null unless the state is `done`. */
  @ApiProperty({ nullable: true, type: Number })
  model: number | null;
}

/** A held request without its headers, its body and its result. */
export class ActionSummary {
  @ApiProperty({ format: 'uuid' })
  action_id: string;

  @ApiProperty({ enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus;

  /** Why an open action can no longer be approved or executed; it can still be denied. null when nothing blocks it. */
  @ApiProperty({ nullable: true, type: String, example: 'The agent is revoked' })
  blocked: string | null;

  @ApiProperty({ type: ActionApprovals })
  approvals: ActionApprovals;

  /** An equal action (same agent, method, URL, headers, body) that was pending or denied when this one was queued. */
  @ApiProperty({ nullable: true, type: RepeatedAction })
  repeats: RepeatedAction | null;

  /** The action of the agent's original request, which this one revises. */
  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  revises: string | null;

  /** The revision that a person made of this action. */
  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  revised_as: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  /** When the action was approved or denied. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  resolved_at: string | null;

  /** When the action expires if it is not decided. */
  @ApiProperty({ format: 'date-time' })
  expires_at: string;

  /** Once approved, the agent must execute the action before this time. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  approvalExpiresAt: string | null;

  /** From when the approval counts: until then, the agent is told that there is no decision. Null: at once. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  countsFrom: string | null;

  /** Whether the agent executes it at this moment. */
  @ApiProperty()
  executing: boolean;

  /**
   * What the request does: the summary of the documented operation and its target, else method and path in words. It
   * never comes from the agent or the model. Notifications have it too.
   */
  @ApiProperty({ example: 'Create a refund · order 7731' })
  summary: string;

  /**
   * The same with the values of query and body that decide, without secrets, in one line of at most 110 characters. If it
   * does not show all values, it ends with a code that differs when anything differs. For actions that an earlier version
   * held, it is the summary.
   */
  @ApiProperty({ example: 'Refund €12,500.00 · order 7731' })
  headline: string;

  /** `id` is null if the agent was deleted. */
  @ApiProperty({ type: Actor })
  agent: Actor;

  /** `id` is null if the service was deleted. */
  @ApiProperty({ type: Actor })
  service: Actor;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  method: HttpMethod;

  @ApiProperty()
  targetUrl: string;

  /** The size of the body in bytes, as it is sent. null: the request has no body. */
  @ApiProperty({ nullable: true, type: Number })
  bodyBytes: number | null;

  /** The `Content-Type` of the request. null if it has none. */
  @ApiProperty({ nullable: true, type: String, example: 'application/json' })
  bodyType: string | null;

  /**
   * SHA-256 over what an approval covers: method, target URL, headers, body, agent, service and its base URL. Once
   * approved, it stays the approved one. null when the agent or the service was deleted.
   */
  @ApiProperty({ nullable: true, type: String, pattern: '^[0-9a-f]{64}$' })
  digest: string | null;

  @ApiProperty()
  intent: string;

  /** How bad the request is, from 0 to 1. It rises if the model finds it worse. */
  @ApiProperty({ minimum: 0, maximum: 1 })
  risk_score: number;

  @ApiProperty({ type: ActionAssessment })
  assessment: ActionAssessment;

  @ApiProperty()
  risk_explanation: string;

  @ApiProperty({ enum: RISK_SOURCES, enumName: 'RiskSource' })
  risk_source: RiskSource;

  /** What the request does. Empty for actions that an earlier version held. */
  @ApiProperty({ type: [RequestEffect] })
  effects: RequestEffect[];

  @ApiProperty({ type: Actor, nullable: true })
  resolved_by: Actor | null;

  @ApiProperty({ nullable: true, type: String })
  resolution_note: string | null;

  /** How often the agent has sent this request while it was pending. */
  @ApiProperty({ minimum: 1 })
  times_asked: number;

  /** When the agent last polled the status. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  last_polled_at: string | null;

  /** When the upstream responded. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  executed_at: string | null;
}

/** A held request, as its approver sees it. */
export class Action extends ActionSummary {
  /** The headers that would be sent, without those that the gateway injects. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers: Record<string, string>;

  /** The body as text, without its content codings, or a binary body as base64. Lists leave binary bodies out. */
  @ApiProperty({ nullable: true, type: String })
  body: string | null;

  /** Present if the body is not text. */
  @ApiPropertyOptional({ enum: ['base64'] })
  bodyEncoding?: 'base64';

  /** In lists, and with `view=excerpt`: present if the body has more than 64 kB. Then `body` is its beginning. */
  @ApiPropertyOptional({ enum: [true] })
  bodyTruncated?: true;

  /** The parts of a form (`multipart/form-data`), when one action is read. */
  @ApiPropertyOptional({ type: [ActionPart] })
  parts?: ActionPart[];

  /** The upstream's response, once the action is executed. */
  @ApiProperty({ type: StoredResponse, nullable: true })
  result: StoredResponse | null;
}
