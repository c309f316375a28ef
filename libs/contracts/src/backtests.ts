import { ApiProperty } from '@nestjs/swagger';
import { ASKED_EFFECTS, type AskedEffect } from './effects.js';
import { Integer } from './fields.js';
import { BACKTEST_REQUESTS_DEFAULT, BACKTEST_REQUESTS_MAX, ID_MAX } from './limits.js';
import { Choices, Nested } from './nested-fields.js';
import { CreateRiskRuleRequest } from './risk-rules.js';
import { ACTION_STATUSES, HTTP_METHODS, type ActionStatus, type HttpMethod } from './states.js';
import { AtLeastOneOf } from './validation.js';

/** A rule that is not saved. */
export class BacktestedRule extends CreateRiskRuleRequest {
  /** The rule that it would replace. Missing: it would be a new one. */
  @Integer({ optional: true, min: 1, max: ID_MAX })
  id?: number;
}

/** What to try on the latest requests: a rule, or the effects that the service would ask about. */
export class BacktestRequest {
  @AtLeastOneOf(['rule', 'askFor'])
  @Nested(BacktestedRule, { optional: true })
  rule?: BacktestedRule;

  /** In place of `rule`. */
  @Choices(ASKED_EFFECTS, { optional: true, name: 'AskedEffect' })
  askFor?: AskedEffect[];

  /** How many of the latest assessed requests. */
  @Integer({ optional: true, min: 1, max: BACKTEST_REQUESTS_MAX, default: BACKTEST_REQUESTS_DEFAULT })
  last?: number;
}

/** `assessed`: the model would decide, and no answer of it about this request is stored. */
export const BACKTEST_OUTCOMES = ['forwarded', 'held', 'refused', 'assessed'] as const;
export type BacktestOutcome = (typeof BACKTEST_OUTCOMES)[number];

/** A request that would match, or that would be treated differently. */
export class BacktestExample {
  @ApiProperty({ enum: HTTP_METHODS, enumName: 'HttpMethod' })
  method: HttpMethod;

  @ApiProperty()
  targetUrl: string;

  @ApiProperty({ format: 'date-time' })
  at: string;

  /** By the present rules. */
  @ApiProperty({ enum: BACKTEST_OUTCOMES, enumName: 'BacktestOutcome' })
  outcome: BacktestOutcome;

  @ApiProperty({ enum: BACKTEST_OUTCOMES, enumName: 'BacktestOutcome' })
  wouldBe: BacktestOutcome;

  /** How many people must approve it by the present rules. Null: `outcome` is not `held`. */
  @ApiProperty({ nullable: true, type: Number })
  approvals: number | null;

  /** How many people would have to approve it. Null: `wouldBe` is not `held`. */
  @ApiProperty({ nullable: true, type: Number })
  wouldNeed: number | null;

  /** Whether it is held as before, but other people may approve it. */
  @ApiProperty()
  otherApprovers: boolean;

  /** Of a request that was held, and whose action is still stored. */
  @ApiProperty({ nullable: true, type: String, format: 'uuid' })
  actionId: string | null;

  /** What people decided about that action. */
  @ApiProperty({ nullable: true, enum: ACTION_STATUSES, enumName: 'ActionStatus' })
  status: ActionStatus | null;
}

/** What the rule would have saved the person who asks. */
export class SavedApprovals {
  /** How many of the tested requests you approved. */
  @ApiProperty()
  of: number;

  /** How many of these match the rule, and would have been forwarded without you. */
  @ApiProperty()
  saved: number;
}

/** Why nobody can tell whether a rule matches. */
export class UndecidedReason {
  @ApiProperty({ example: 'there is no field amount' })
  reason: string;

  /** For how many requests. */
  @ApiProperty()
  count: number;
}

export class Backtest {
  /** How many requests were tested. */
  @ApiProperty()
  of: number;

  /**
   * How many match the rule, or do something that the service would ask about. If the rule restricts, those that nobody
   * can tell for match too.
   */
  @ApiProperty()
  matched: number;

  /** For how many nobody can tell whether the rule matches. They count as the effect of the rule says. */
  @ApiProperty()
  undecided: number;

  /** Why, at most three reasons, the most frequent first. */
  @ApiProperty({ type: [UndecidedReason] })
  undecidedBecause: UndecidedReason[];

  /** How many would get another outcome than by the present rules, or need the approval of more, fewer or other people. */
  @ApiProperty()
  changed: number;

  /** What it would have saved you. */
  @ApiProperty({ type: SavedApprovals })
  ownApprovals: SavedApprovals;

  /** Newest first, at most 20. If there are more, those that would be treated differently. */
  @ApiProperty({ type: [BacktestExample] })
  examples: BacktestExample[];

  /** What was not tested. Null: everything was. */
  @ApiProperty({ nullable: true, type: String })
  note: string | null;
}
