import type { AgentView } from '../agents/agent-directory.js';
import { ApiError } from '../platform/errors.js';
import type { RiskVerdict } from '../risk/risk-verdict.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { ProxyCall } from './proxy-call.js';

/** The fields of a refused call that its record contains. */
export type RefusedCall = Pick<ProxyCall, 'requestId' | 'targetUrl'> &
  Partial<Pick<ProxyCall, 'method' | 'intent'>> & { kind?: 'execution'; actionId?: string };

/** An error that refuses a call, together with what was known about the call by then. The audit record contains it. */
export class Refusal<Call extends RefusedCall = ProxyCall> extends ApiError {
  constructor(
    error: ApiError,
    readonly agent: AgentView,
    readonly call: Call,
    readonly service: ServiceView | null,
    readonly verdict: RiskVerdict | null = null,
  ) {
    super(error.statusCode, error.message, error);
  }
}

/** No usable answer came. The request already has its audit record. */
export class ForwardError extends ApiError {
  constructor(
    error: ApiError,
    /** Whether any of the request may have reached the upstream. */
    readonly sent: boolean,
  ) {
    super(error.statusCode, error.message, error);
  }
}

/**
 * Whether an error refuses a call, so that it needs a record. A request that was sent already has its record. An
 * unforeseen error is not a refusal. Neither is a 503: the gateway could not decide.
 */
export const refuses = (error: unknown): error is ApiError =>
  error instanceof ApiError && !(error instanceof ForwardError) && error.statusCode !== 503;
