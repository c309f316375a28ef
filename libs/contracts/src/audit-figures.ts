import { ApiProperty } from '@nestjs/swagger';
import { Actor } from './actor.js';
import { AuditFilter } from './audit.js';
import { Choice, Text } from './fields.js';

const STATS_BUCKETS = ['hour', 'day'] as const;

export class AuditStatsQuery extends AuditFilter {
  /** Width of each bucket in `overTime`. Default: `hour` for up to three days, `day` for longer ranges. */
  @Choice(STATS_BUCKETS, { optional: true })
  bucket?: (typeof STATS_BUCKETS)[number];

  /** The days are those of this time zone. Default: UTC. Without other filters, an hour in UTC counts to the day in which it begins. */
  @Text({ optional: true, example: 'Europe/Berlin' }, { max: 64 })
  timeZone?: string;
}

export class OutcomeCounts {
  @ApiProperty()
  forwarded: number;

  @ApiProperty()
  executed: number;

  @ApiProperty()
  held: number;

  @ApiProperty()
  refused: number;
}

export class TimeBucket extends OutcomeCounts {
  @ApiProperty({ format: 'date-time' })
  at: string;
}

export class AgentOutcomes extends OutcomeCounts {
  @ApiProperty({ type: Actor })
  agent: Actor;
}

export class DecisionTimes {
  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty()
  decided: number;

  @ApiProperty()
  p50Seconds: number;

  @ApiProperty()
  p95Seconds: number;
}

export class RiskBucket {
  /** Lower bound of the bucket's scores. Buckets are 0.05 wide. */
  @ApiProperty()
  from: number;

  @ApiProperty()
  requests: number;
}

export class AuditStats {
  /**
   * Number of requests. With a filter by outcome, decision, or a kind other than `request`: number of matching records.
   */
  @ApiProperty()
  requests: number;

  @ApiProperty()
  held: number;

  /** Approved requests. One whose approval was undone is none, one whose approval was withdrawn later is one. */
  @ApiProperty()
  approved: number;

  @ApiProperty()
  denied: number;

  /** null when there are no decisions. */
  @ApiProperty({ nullable: true, type: Number })
  medianDecisionSeconds: number | null;

  @ApiProperty({ enum: STATS_BUCKETS })
  bucket: (typeof STATS_BUCKETS)[number];

  @ApiProperty({ type: [TimeBucket] })
  overTime: TimeBucket[];

  @ApiProperty({ type: [DecisionTimes] })
  decisionTimes: DecisionTimes[];

  /** The ten agents with the most requests. */
  @ApiProperty({ type: [AgentOutcomes] })
  agents: AgentOutcomes[];

  @ApiProperty({ type: [RiskBucket] })
  risk: RiskBucket[];

  /** The current risk threshold, for the line in the histogram. */
  @ApiProperty()
  riskThreshold: number;

  /**
   * Set when the figures do not reach back to `from`. With filters other than agent and time, the gateway reads only a
   * limited number of the newest records; the figures cover records since this time.
   */
  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  countedBackTo: string | null;
}
