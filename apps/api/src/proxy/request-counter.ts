import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AgentView } from '../agents/agent-directory.js';
import type { Door, Outcome } from '../observability/metric-words.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../platform/clock.js';
import { ApiError } from '../platform/errors.js';
import { isDatabaseUnavailable } from '../platform/http/database-unavailable.js';
import type { ProxyOutcome } from './outcome.js';
import { ForwardError } from './refusal.js';

/** Counts each request of an agent once, with how it ended (docs/reference/metrics.md). */
@Injectable()
export class RequestCounter {
  /** Errors that were counted, and then come to the filter of errors. */
  private readonly counted = new WeakSet<object>();

  constructor(
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  async count(door: Door, agent: AgentView, work: () => Promise<ProxyOutcome>): Promise<ProxyOutcome> {
    const startMs = this.clock.monotonicMs();
    const end = (outcome: Outcome, reason: string): void => {
      this.metrics.request(door, outcome, reason, (this.clock.monotonicMs() - startMs) / 1000);
      this.metrics.agentRequest(agent.id, outcome);
    };
    try {
      const outcome = await work();
      end(...outcomeAndReason(outcome));
      return outcome;
    } catch (error) {
      // The record of a request that was sent says so, whatever came of it.
      const isSent = error instanceof ForwardError;
      end(isSent ? (door === 'execute' ? 'executed' : 'forwarded') : 'refused', codeOf(error));
      if (typeof error === 'object' && error !== null) this.counted.add(error);
      throw error;
    }
  }

  /** An error response. If it refuses a request that did not come to `count`, for example without a key, it counts. */
  answered(request: Pick<Request, 'method' | 'path'>, thrown: unknown, error: ApiError): void {
    const door = doorOf(request);
    if (door !== null && !this.counted.has(thrown as object)) this.metrics.request(door, 'refused', error.code, null);
  }
}

function outcomeAndReason(outcome: ProxyOutcome): [Outcome, string] {
  switch (outcome.kind) {
    case 'answered':
    case 'streamed':
      if (outcome.reason === 'repeat') return ['replayed', 'repeat'];
      return [outcome.via === 'forwarded' ? 'forwarded' : 'executed', outcome.reason];
    case 'held':
      return ['held', outcome.action.timesAsked > 1 ? 'repeat' : outcome.action.riskSource];
    case 'previewed':
      return ['previewed', outcome.preview.risk_source];
  }
}

function codeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code;
  return isDatabaseUnavailable(error) ? 'database_unavailable' : 'internal_error';
}

function doorOf({ method, path: given }: Pick<Request, 'method' | 'path'>): Door | null {
  // Express does not distinguish them either.
  const path = given.toLowerCase().replace(/\/$/, '');
  if (path.startsWith('/s/')) return 'base_url';
  if (method !== 'POST') return null;
  if (path === '/proxy') return 'proxy';
  return path.startsWith('/proxy/execute/') ? 'execute' : null;
}
