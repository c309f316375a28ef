import { ApiProperty } from '@nestjs/swagger';
import { Actor } from './actor.js';
import { Choice, Decimal, Flag, Integer, MinutesToLive, Text, Timestamp } from './fields.js';
import {
  APPROVALS_MAX,
  APPROVERS_MAX,
  CONDITION_MAX,
  EXCEPTION_RULES_MAX,
  ID_MAX,
  LIMIT_COUNT_MAX,
  PATH_PATTERN_MAX,
  RULE_INSTRUCTION_MAX,
  RULE_NAME_MAX,
} from './limits.js';
import { Choices, Ids, Nested } from './nested-fields.js';
import {
  HTTP_METHODS,
  LIMIT_THENS,
  LIMIT_WINDOWS,
  RULE_EFFECTS,
  RULE_EXCEPTIONS,
  RULE_MODES,
  type HttpMethod,
  type LimitThen,
  type LimitWindow,
  type RuleEffect,
  type RuleExceptions,
  type RuleMode,
} from './states.js';
import { AtLeastOneOf } from './validation.js';

const FIELDS = [
  'name',
  'effect',
  'methods',
  'pathPattern',
  'when',
  'instruction',
  'agentIds',
  'approvals',
  'approverIds',
  'limit',
  'expiresAt',
  'expiresInMinutes',
  'maxUses',
  'isActive',
  'mode',
  'exceptions',
] as const;

/** How much each agent may send in a calendar window in UTC (docs/reference/limits.md). */
export class RuleLimit {
  /** How much fits into one window: a whole number of requests, or with `sum` an amount, which may have decimals. */
  @Decimal({ max: LIMIT_COUNT_MAX, example: 100 })
  count: number;

  @Choice(LIMIT_WINDOWS, { name: 'LimitWindow' })
  per: LimitWindow;

  /** What happens to a request that does not fit: it is refused with 429, or held until a human approves. */
  @Choice(LIMIT_THENS, { name: 'LimitThen' })
  then: LimitThen;

  /**
   * An expression in CEL (https://cel.dev) over the facts that `when` reads. It gives the number that a request counts.
   * A request for which it can't be decided, or is negative, does not fit. Empty or missing: each request counts 1.
   */
  @Text({ optional: true, max: CONDITION_MAX, example: 'request.body.amount' })
  sum?: string;
}

/** The fields that requests to create and to update a rule share. */
export class RiskRuleScope {
  /** Empty or missing: all methods. */
  @Choices(HTTP_METHODS, { optional: true, name: 'HttpMethod' })
  methods?: HttpMethod[];

  /**
   * Glob for the path below the base URL. `*` matches within a segment, `**` across segments; at most 8 wildcards.
   * Empty or missing: all paths.
   */
  @Text({ optional: true, max: PATH_PATTERN_MAX, example: '/customers/**' })
  pathPattern?: string;

  /**
   * A condition in CEL (https://cel.dev) over the request, its documented operation and its effects. Empty or missing: no
   * condition.
   */
  @Text({ optional: true, max: CONDITION_MAX, example: 'request.body.amount > 100' })
  when?: string;

  /** For `guidance`: the instruction for the model. */
  @Text({ optional: true, max: RULE_INSTRUCTION_MAX })
  instruction?: string;

  /** Empty or missing: all agents. */
  @Ids({ optional: true }, { max: 1000 })
  agentIds?: number[];

  /** For `require_approval`: how many people must approve. Default 1. */
  @Integer({ optional: true, type: Number, min: 1, max: APPROVALS_MAX, default: 1 })
  approvals?: number;

  /**
   * For `require_approval`: the accounts of the members who may approve. Empty or missing: everyone whose role allows
   * it.
   */
  @Ids({ optional: true }, { max: APPROVERS_MAX })
  approverIds?: number[];

  /** For `limit`, which needs it. */
  @Nested(RuleLimit, { optional: true, nullable: true })
  limit?: RuleLimit | null;

  /** The rule ends at this time; null: never. */
  @Timestamp({ optional: true, nullable: true })
  expiresAt?: string | null;

  /** The rule ends after this time, by the gateway's clock. In place of `expiresAt`. */
  @MinutesToLive()
  expiresInMinutes?: number;

  /** The rule ends after this many decisions; null: never. */
  @Integer({ optional: true, type: Number, min: 1, nullable: true }, { max: ID_MAX })
  maxUses?: number | null;

  /** Default true. */
  @Flag({ optional: true })
  isActive?: boolean;

  /** `observe`: the rule decides nothing, and records say what it would have done. Default `enforce`. */
  @Choice(RULE_MODES, { optional: true, name: 'RuleMode' })
  mode?: RuleMode;

  /**
   * For `require_approval` with one approval of anyone: whether an exception can lift the rule for a time. Default of a new
   * rule of this kind: `temporary`.
   */
  @Choice(RULE_EXCEPTIONS, { optional: true, name: 'RuleExceptions' })
  exceptions?: RuleExceptions;
}

export class CreateRiskRuleRequest extends RiskRuleScope {
  @Text({ min: 1, max: RULE_NAME_MAX })
  name: string;

  @Choice(RULE_EFFECTS, { name: 'RuleEffect' })
  effect: RuleEffect;

  /**
   * For `allow`: the rules that ask, and that this rule lifts while each permits it. It needs `fromAction` and an end, and
   * is limited to the method, agent, path and values of that request.
   */
  @Ids({ optional: true, max: EXCEPTION_RULES_MAX })
  exceptionTo?: number[];

  /** The held request that an exception is made from. */
  @Text({
    optional: true,
    pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    message: 'must be the id of an action',
  })
  fromAction?: string;
}

export class UpdateRiskRuleRequest extends RiskRuleScope {
  @AtLeastOneOf(FIELDS)
  @Text({ optional: true, min: 1, max: RULE_NAME_MAX })
  name?: string;

  @Choice(RULE_EFFECTS, { optional: true, name: 'RuleEffect' })
  effect?: RuleEffect;
}

export class RiskRule {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty({ enum: RULE_EFFECTS, enumName: 'RuleEffect' })
  effect: RuleEffect;

  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod', isArray: true })
  methods: HttpMethod[];

  @ApiProperty()
  pathPattern: string;

  /** A condition in CEL. Empty: none. */
  @ApiProperty()
  when: string;

  @ApiProperty()
  instruction: string;

  @ApiProperty({ type: [Number] })
  agentIds: number[];

  /** How many people must approve. */
  @ApiProperty({ minimum: 1, maximum: APPROVALS_MAX })
  approvals: number;

  /** Who may approve. Empty: everyone whose role allows it. */
  @ApiProperty({ type: [Number] })
  approverIds: number[];

  /** Null: the effect is not `limit`. */
  @ApiProperty({ nullable: true, type: RuleLimit })
  limit: RuleLimit | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  expiresAt: string | null;

  @ApiProperty({ nullable: true, type: Number })
  maxUses: number | null;

  /** How many decisions the rule has made. Counted only if the rule has `maxUses`. */
  @ApiProperty()
  uses: number;

  @ApiProperty()
  isActive: boolean;

  @ApiProperty({ enum: RULE_MODES, enumName: 'RuleMode' })
  mode: RuleMode;

  @ApiProperty({ enum: RULE_EXCEPTIONS, enumName: 'RuleExceptions' })
  exceptions: RuleExceptions;

  /** The ids of the rules that this exception lifts. Empty: it is none. */
  @ApiProperty({ type: [Number] })
  exceptionTo: number[];

  /** The held request that the exception was made from. */
  @ApiProperty({ format: 'uuid', nullable: true, type: String })
  fromAction: string | null;

  /** The name of the person who created the rule. */
  @ApiProperty({ nullable: true, type: String })
  createdBy: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

/** What a rule was after a change. */
export class RiskRuleVersion {
  /** Counts from 1. The last 100 are kept. */
  @ApiProperty({ type: 'integer' })
  version: number;

  @ApiProperty({ format: 'date-time' })
  at: string;

  /** Who made the change. Null: it was made before versions were kept. */
  @ApiProperty({ type: Actor, nullable: true })
  by: Actor | null;

  @ApiProperty({ type: RiskRule })
  rule: RiskRule;
}

/**
 * How many of the service's latest requests an unsaved rule would match. It checks the last 200 requests that were
 * assessed.
 */
export class RulePreview {
  /** How many of them the rule matches. */
  @ApiProperty()
  matched: number;

  /** For how many the condition can't be decided. If the rule restricts, `matched` has them too. */
  @ApiProperty()
  undecided: number;

  /** How many of the latest requests were compared. */
  @ApiProperty()
  of: number;

  /** What a rule with a condition could not be compared with, as in a backtest. Null: nothing. */
  @ApiProperty({ nullable: true, type: String })
  note: string | null;
}

/** When a rule last matched a request. */
export class RuleMatch {
  @ApiProperty()
  ruleId: number;

  /** Null: not since `since`. Dry runs do not count. */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  lastMatchedAt: string | null;

  /** From when on the gateway remembers it: since the rule exists, or since the release that began to. */
  @ApiProperty({ format: 'date-time' })
  since: string;
}

/** What an agent has used of a limit in the current window. */
export class AgentLimitUse {
  @ApiProperty()
  id: number;

  @ApiProperty()
  name: string;

  @ApiProperty()
  used: number;
}

/** The use of a limit in its current window, by the database's clock. */
export class RuleLimitUse {
  @ApiProperty()
  ruleId: number;

  /** When the window ends. */
  @ApiProperty({ format: 'date-time' })
  resetsAt: string;

  /** The agents that have used the most, at most ten. Agents that have used nothing are left out. */
  @ApiProperty({ type: [AgentLimitUse] })
  agents: AgentLimitUse[];
}
