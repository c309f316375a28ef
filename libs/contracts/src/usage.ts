import { ApiProperty } from '@nestjs/swagger';
import { Text } from './fields.js';
import { USAGE_AGENTS_MAX } from './limits.js';

/** Answers of the upstream. */
export class RejectionCount {
  /** At most 100: those nearest to the replacement, or the latest ones. */
  @ApiProperty({ type: 'integer' })
  answers: number;

  /** How many of them were 401 or 403. */
  @ApiProperty({ type: 'integer' })
  rejected: number;
}

/** Whether an upstream rejects more requests since its credentials were replaced. */
export class Rejections {
  /** The last answers before the replacement, at most a week older. */
  @ApiProperty({ type: RejectionCount })
  before: RejectionCount;

  /** The latest answers since then. */
  @ApiProperty({ type: RejectionCount })
  after: RejectionCount;
}

export class ServiceUsage {
  @ApiProperty()
  serviceId: number;

  @ApiProperty()
  agents: number;

  @ApiProperty()
  documents: number;

  @ApiProperty()
  rules: number;

  @ApiProperty()
  requests24h: number;

  /** Number of requests in each of the last 24 hours, oldest first. */
  @ApiProperty({ type: [Number] })
  hourly: number[];

  /** How often the upstream rejected the current credentials with 401 in the last 24 hours. They may have expired. */
  @ApiProperty()
  unauthorized24h: number;

  /** Null unless the credentials were replaced within the last 7 days. */
  @ApiProperty({ type: Rejections, nullable: true })
  rejections: Rejections | null;
}

const AGENT_IDS = new RegExp(`^\\d{1,10}(,\\d{1,10}){0,${USAGE_AGENTS_MAX - 1}}$`);

export class AgentUsageQuery {
  /** At most 100 ids, separated by commas. The response omits agents that do not belong to the user. */
  @Text({
    example: '3,14,15',
    pattern: AGENT_IDS,
    message: `must be 1 to ${USAGE_AGENTS_MAX} ids, separated by commas`,
  })
  agentIds: string;
}

export class AgentUsage {
  @ApiProperty()
  agentId: number;

  @ApiProperty()
  requests7d: number;

  @ApiProperty()
  held7d: number;

  @ApiProperty()
  denied7d: number;
}
