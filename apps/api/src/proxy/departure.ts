import type { HttpMethod, ObservedRule, RiskSource } from '#contracts';
import type { AgentView } from '../agents/agent-directory.js';
import type { AnswerRoom } from '../agents/answer-room.js';
import type { EqualRequest } from '../approvals/standing-denial.js';
import type { LimitState, LimitToCount } from '../risk/limits/limit-to-count.js';
import type { Payload } from '../egress/payload.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { Streaming } from './proxy-call.js';

/** A request that has passed every check and is about to leave. */
export interface Departure {
  kind: 'request' | 'execution';
  /** The id of the audit record. It is also the claim that gives the right to send. */
  claimId: string;
  /** The record was written with the claim. */
  recorded: boolean;
  /** See `TimedClaim`. */
  sendByMs: number;
  agent: AgentView;
  service: ServiceView;
  method: HttpMethod;
  /** The target as the agent wrote it. */
  targetUrl: string;
  /** The URL as the egress guard read it. */
  url: URL;
  headers: Record<string, string>;
  body: Payload | null;
  intent: string;
  risk: { score: number; explanation: string; source: RiskSource; observed?: ObservedRule[] };
  actionId?: string;
  requestId: string;
  /** See `ProxyCall`. */
  room: AnswerRoom | null;
  /** See `ProxyCall`. An execution is collected, because its answer is stored. */
  streaming: Streaming;
  /** The limits that it counts against. */
  limits: readonly LimitToCount[];
  /** The limits after it was counted. Null: it is counted when its record is written. */
  counted: readonly LimitState[] | null;
  /** For a request: a standing denial of an equal request stops it. An approved action is not stopped. */
  equal?: EqualRequest;
  /** The same with the body. It costs more, and is needed only where something at the same place was denied. */
  wholeEqual?: () => Promise<EqualRequest>;
}
