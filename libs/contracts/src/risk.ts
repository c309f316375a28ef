import { ApiProperty } from '@nestjs/swagger';
import { EFFECTS, type Effect } from './effects.js';
import { Choice, Id, Text } from './fields.js';
import { INTENT_MAX, TARGET_URL_MAX } from './limits.js';
import { StringMap } from './nested-fields.js';
import {
  HTTP_METHODS,
  RISK_SOURCES,
  RULE_EFFECTS,
  type HttpMethod,
  type RiskSource,
  type RuleEffect,
} from './states.js';

export class AssessRiskRequest {
  @Id({ type: Number })
  serviceId: number;

  /** Needed for rules that apply only to some agents. */
  @Id({ optional: true, type: Number })
  agentId?: number;

  @Choice(HTTP_METHODS, { name: 'HttpMethod' })
  method: HttpMethod;

  @Text({ format: 'uri', max: TARGET_URL_MAX })
  targetUrl: string;

  @StringMap({ optional: true }, { nullable: true })
  headers?: Record<string, string> | null;

  @Text({ optional: true, nullable: true })
  body?: string | null;

  @Text({ min: 1, max: INTENT_MAX })
  intent: string;
}

export class MatchedRule {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: RULE_EFFECTS, enumName: 'RuleEffect' })
  effect: RuleEffect;
}

/** What of a rule a request does not fit. */
const RULE_MISMATCHES = ['agent', 'method', 'path', 'condition'] as const;
export type RuleMismatch = (typeof RULE_MISMATCHES)[number];

/** What became of a rule of the service. */
export class CheckedRule extends MatchedRule {
  /** The condition of the rule. Empty: it has none. */
  @ApiProperty()
  when: string;

  /** The ids of the rules that it lifts, if it is an exception. */
  @ApiProperty({ type: [Number] })
  exceptionTo: number[];

  /** Why the rule does not match. Null: it matches. */
  @ApiProperty({ enum: RULE_MISMATCHES, enumName: 'RuleMismatch', nullable: true })
  mismatch: RuleMismatch | null;

  /** Why its condition, or its path, can't be decided. Null: it can, or it was not read. */
  @ApiProperty({ nullable: true, type: String })
  undecided: string | null;

  /**
   * How servers can read the path of the request, where that decides: a rule that restricts matches this reading, an
   * `allow` rule does not. Null: the path decides as usual servers read it, or not at all.
   */
  @ApiProperty({ nullable: true, type: String, example: '/customers/42' })
  readAs: string | null;
}

/** One thing that a request does (docs/reference/effects.md). */
export class RequestEffect {
  @ApiProperty({ enum: EFFECTS, enumName: 'Effect' })
  effect: Effect;

  /** Why the gateway says so, in one sentence. */
  @ApiProperty({ example: 'the operation "Refund an order" moves money' })
  reason: string;
}

/** What the agent has used of a limit that matches, in its current window. The request itself is not counted. */
export class LimitUse {
  /** The name of the rule. */
  @ApiProperty()
  rule: string;

  @ApiProperty()
  ruleId: number;

  @ApiProperty()
  used: number;

  @ApiProperty()
  count: number;

  /** What the request would add. Null: that can't be decided, so the request does not fit. */
  @ApiProperty({ nullable: true, type: Number })
  adds: number | null;

  /** When the window ends, by the database's clock. */
  @ApiProperty({ format: 'date-time' })
  resetsAt: string;
}

export const RISK_DECISIONS = ['forward', 'hold', 'deny'] as const;
export type RiskDecision = (typeof RISK_DECISIONS)[number];

/** What an observed rule that matches would have decided, beside the rules that are enforced. */
export class ObservedRule {
  @ApiProperty()
  ruleId: number;

  @ApiProperty({ enum: RISK_DECISIONS, enumName: 'RiskDecision' })
  wouldBe: RiskDecision;
}

/** Who must approve a request. Of the rules that ask, the strictest counts. */
export class NeededApprovals {
  /** How many people. */
  @ApiProperty()
  needed: number;

  /** The rule that asks for most people. Null: one person is enough. */
  @ApiProperty({ type: MatchedRule, nullable: true })
  rule: MatchedRule | null;

  /** The only people who may. Null: everyone whose role allows it. Empty: nobody, because rules name different people. */
  @ApiProperty({ type: [Number], nullable: true })
  approverIds: number[] | null;
}

/** What would decide about a request if something else did not. */
export class RiskAlternative {
  /** Without these rules, limits and exceptions. */
  @ApiProperty({ type: [MatchedRule] })
  withoutRules: MatchedRule[];

  /** If the service did not ask about these effects of the request. */
  @ApiProperty({ enum: EFFECTS, enumName: 'Effect', isArray: true })
  withoutAskFor: Effect[];

  /** What would be decided then. Null: the score would decide, and the model was not asked. */
  @ApiProperty({ enum: RISK_DECISIONS, enumName: 'RiskDecision', nullable: true })
  decision: RiskDecision | null;

  /** The rule that would decide then. Null: what the service asks about, or the score. */
  @ApiProperty({ type: MatchedRule, nullable: true })
  by: MatchedRule | null;
}

export class RiskAssessment {
  /** 0 to 1. Of a request that would be held: how bad it is, as the 428 would say. */
  @ApiProperty()
  score: number;

  /** The score that was compared with the threshold. Null: something else than the score decided. */
  @ApiProperty({ nullable: true, type: Number })
  decidingScore: number | null;

  /** The model's score; null when the model was not called or failed. */
  @ApiProperty({ nullable: true, type: Number })
  llmScore: number | null;

  @ApiProperty()
  heuristicScore: number;

  @ApiProperty()
  explanation: string;

  @ApiProperty({ enum: RISK_SOURCES, enumName: 'RiskSource' })
  source: RiskSource;

  /** The rule that decided. Null: none did. */
  @ApiProperty({ type: MatchedRule, nullable: true })
  rule: MatchedRule | null;

  /** Every rule that matches, the strongest first. */
  @ApiProperty({ type: [MatchedRule] })
  matchedRules: MatchedRule[];

  /**
   * The ids of the rules whose condition can't be decided for this request. Those that deny or ask count as matching, the
   * others do not.
   */
  @ApiProperty({ type: [Number] })
  undecided: number[];

  /** Every rule that applies now, the strongest first: whether it matches, and why not. Without observed ones. */
  @ApiProperty({ type: [CheckedRule] })
  rules: CheckedRule[];

  /**
   * What would have to be gone for another decision, one thing after the other. Empty: the score decides, or the path is
   * too long to compare.
   */
  @ApiProperty({ type: [RiskAlternative] })
  otherwise: RiskAlternative[];

  /** What the request does. */
  @ApiProperty({ type: [RequestEffect] })
  effects: RequestEffect[];

  /** The limits that match. */
  @ApiProperty({ type: [LimitUse] })
  limits: LimitUse[];

  /** What each matching rule that is observed would have decided. */
  @ApiProperty({ type: [ObservedRule] })
  observed: ObservedRule[];

  @ApiProperty({ enum: RISK_DECISIONS, enumName: 'RiskDecision' })
  decision: RiskDecision;

  /** Who would have to approve it. Null: it would not be held. */
  @ApiProperty({ type: NeededApprovals, nullable: true })
  approvals: NeededApprovals | null;

  @ApiProperty()
  threshold: number;

  @ApiProperty()
  durationMs: number;

  /** The prompt for the model; null when the model was not called. */
  @ApiProperty({ nullable: true, type: String })
  prompt: string | null;
}
