import type { HttpMethod, RiskSource } from '#contracts';
import type { AgentView } from '../agents/agent-directory.js';
import type { EqualRequest } from '../audit/standing-denial.js';
import type { Payload } from '../egress/payload.js';
import type { ServiceView } from '../services/service-view.js';
import type { Streaming } from './proxy-call.js';

/** A request that has passed every check and is about to leave. */
export interface Departure {
  kind: 'request' | 'execution';
  /** What the sender has claimed: the id of the audit record, and with it the right to send. */
  claimId: string;
  /** The record was written with the claim. */
  recorded: boolean;
  agent: AgentView;
  service: ServiceView;
  method: HttpMethod;
  /** As the agent wrote it. */
  targetUrl: string;
  /** As the egress guard read it. */
  url: URL;
  headers: Record<string, string>;
  body: Payload | null;
  intent: string;
  risk: { score: number; explanation: string; source: RiskSource };
  actionId?: string;
  requestId: string;
  /** See `ProxyCall`. An execution is collected, because its answer is stored. */
  streaming: Streaming;
  /** For a request: a standing denial of an equal one stops it. An approved action is not stopped. */
  equal?: EqualRequest;
}
