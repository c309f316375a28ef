import { Injectable } from '@nestjs/common';
import { UPSTREAM_RESPONSE_MAX_BYTES } from '#contracts/limits';
import { EgressClient, EgressFailure, responseHeadersToPass, type EgressResponse, type StreamPolicy } from '#egress';
import { AgentDirectory, judgedBy, type AgentView } from '../agents/agent-directory.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import type { Answer } from '../egress/answer.js';
import { AuditLog } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import { AgentsConfig } from '../platform/config.js';
import { isRepeatable } from '../egress/repeatable.js';
import { ApiError, errors } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import type { Injection } from '../services/connections/injection.js';
import { Connections, isConnected } from '../services/connections/oauth/connections.js';
import { withInjection } from '../services/connections/with-injection.js';
import { CredentialVault } from '../services/credential-vault.js';
import { failureError } from '../egress/egress-errors.js';
import type { ServiceView } from '../services/service-view.js';
import type { Departure } from './departure.js';
import type { Streaming } from './proxy-call.js';
import { ForwardError } from './refusal.js';
import { isTextType, Redactor } from '../egress/redaction.js';
import { StreamRedactor } from '../egress/stream-redactor.js';
import { RunningStreams } from './running-streams.js';
import { StreamedAnswer } from './streamed-answer.js';

/** Base URLs need this header, because they rewrite the link in it. `writeOutcome` drops it elsewhere. */
const PASSED_BEHIND_BASE_URLS = new Set(['refresh']);
const PASSED_ON_HEAD: ReadonlySet<string> = new Set([...PASSED_BEHIND_BASE_URLS, 'content-length']);

const isEventStream = (headers: Answer['headers']): boolean =>
  headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && /^\s*text\/event-stream\s*(;|$)/i.test(value),
  );

const STREAM_POLICIES: Record<Streaming, StreamPolicy | null> = {
  none: null,
  // A 401 is collected, because the request may be sent again with a new token.
  events: (headers, status) => status !== 401 && isEventStream(headers),
  any: (_headers, status) => status !== 401,
};

/** Thrown before anything is sent: an equal request waits for a decision, or a person denied it. */
export class StandingDenial extends Error {
  constructor() {
    super('an equal request waits or was denied');
  }
}

/** Injects the credentials, writes the audit record, and sends. Requests and executions share this order. */
@Injectable()
export class Forwarder {
  private readonly now = (): Date => this.clock.now();
  private readonly redactors = new WeakMap<AgentView, WeakMap<ServiceView, Redactor>>();

  constructor(
    private readonly vault: CredentialVault,
    private readonly connections: Connections,
    private readonly agents: AgentDirectory,
    private readonly egress: EgressClient,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly streams: RunningStreams,
    private readonly limits: AgentsConfig,
  ) {}

  /**
   * @throws StaleConfiguration, StandingDenial, or 500 for unusable credentials: nothing was sent. ForwardError: the
   * request may have been sent
   */
  async forward(departure: Departure): Promise<Answer> {
    const answer = await this.open(departure);
    if (answer instanceof StreamedAnswer) throw new Error('an answer that is to be stored was not collected');
    return answer;
  }

  /** Like `forward`, and passes answers on as they arrive where the departure allows it. */
  async open(departure: Departure): Promise<Answer | StreamedAnswer> {
    const answer = await this.send(departure);
    if (answer.status !== 401 || departure.service.connection === null) return answer;
    return (await this.withNewToken(departure)) ?? answer;
  }

  private async send(departure: Departure): Promise<Answer | StreamedAnswer> {
    const { service } = departure;
    if (!departure.recorded && isConnected(service) && !(await this.connections.ensure(service))) {
      throw new StaleConfiguration();
    }
    // Runs before the record, because the record says that the request was sent. `OncePerKey` checks the same before it
    // writes the record with a claim.
    const injection = this.vault.injection(service);
    if (!departure.recorded) await this.record(departure);
    const startMs = this.clock.monotonicMs();
    try {
      const { url, method, headers } = departure;
      const body = departure.body === null ? null : departure.body.bytes;
      const request = withInjection({ url, method, headers, body }, injection, this.now);
      request.group = service.workspaceId;
      request.streams = STREAM_POLICIES[departure.streaming];
      const response = await this.egress.send(request);
      if (response.stream !== null) return this.stream(departure, injection, response, response.stream, startMs);
      const answer = this.redactor(departure, injection).redact({
        fromUpstream: true,
        status: response.status,
        headers: responseHeadersToPass(response.headers, passedToo(departure.method, response.headers)),
        body: response.body,
      });
      this.settle(departure, startMs, answer.status, answer.status, answer.body.length, null);
      return answer;
    } catch (error) {
      const known = error instanceof EgressFailure;
      const failure = known ? failureError(departure.url.hostname, error) : errors.unexpected(error);
      this.settle(departure, startMs, failure.statusCode, null, null, known ? error.reason : failure.message);
      // An unforeseen error may have come after the request was sent.
      throw new ForwardError(failure, known ? error.sent : true);
    }
  }

  /**
   * Sends a request once more after the API refused the token, under a record of its own. Null: the first answer
   * stands. See docs/reference/egress.md#after-401.
   */
  private async withNewToken(departure: Departure): Promise<Answer | StreamedAnswer | null> {
    const { service, method } = departure;
    if (this.isTooLate(departure) || !isRepeatable(method) || !isConnected(service)) return null;
    if (!(await this.connections.renewAfter401(service))) return null;
    try {
      const agent = await this.agents.refresh(departure.agent);
      const renewed = agent.services.find(({ id }) => id === service.id);
      if (agent.version !== departure.agent.version || renewed?.version !== service.version) return null;
      const claimId = this.audit.newId();
      return await this.send({ ...departure, agent, service: renewed, claimId, recorded: false });
    } catch (error) {
      // The second request was never sent, so the first answer stands.
      if (error instanceof ForwardError || !(error instanceof ApiError || error instanceof StandingDenial)) throw error;
      return null;
    }
  }

  private stream(
    departure: Departure,
    injection: Injection,
    { status, headers }: EgressResponse,
    chain: NodeJS.ReadWriteStream[],
    startMs: number,
  ): StreamedAnswer {
    const redactor = this.redactor(departure, injection);
    const passed = redactor.redactHeaders(responseHeadersToPass(headers, PASSED_BEHIND_BASE_URLS));
    const redaction = new StreamRedactor(redactor, isTextType(passed), isEventStream(passed));
    const answer = new StreamedAnswer(status, passed, [...chain, redaction], {
      maxBytes: this.limits.streamMaxBytes,
      maxSeconds: this.limits.streamMaxSeconds,
      maxKeptBytes: UPSTREAM_RESPONSE_MAX_BYTES,
    });
    this.streams.watch(departure.agent, departure.service.id, answer);
    void answer.ended.then(({ bytes, error }) => this.settle(departure, startMs, status, status, bytes, error));
    return answer;
  }

  /** Nothing is sent before this is durable (docs/reference/audit.md#before-sending). */
  private async record(departure: Departure): Promise<void> {
    const { kind, claimId, agent, service, risk, actionId, equal } = departure;
    if (this.isTooLate(departure)) throw errors.requestGivenUp();
    const outcome = kind === 'request' ? 'forwarded' : 'executed';
    const record = this.audit.recordOf(outcome, { id: claimId, kind, agent, call: departure, service, risk, actionId });
    const state = await this.audit.write(record, judgedBy(agent, service, equal));
    if (state === 'stale') throw new StaleConfiguration();
    if (state === 'denied') throw new StandingDenial();
    if (state === 'taken') throw errors.requestGivenUp();
  }

  private isTooLate({ sendByMs }: Departure): boolean {
    return this.clock.monotonicMs() > sendByMs;
  }

  private settle(
    { claimId, agent, service, kind, method, requestId, risk }: Departure,
    startMs: number,
    status: number,
    upstreamStatus: number | null,
    responseBytes: number | null,
    error: string | null,
  ): void {
    const durationMs = this.clock.monotonicMs() - startMs;
    this.audit.settle({ id: claimId, status, upstreamStatus, durationMs, responseBytes, error });
    this.log.info(
      {
        requestId,
        record: claimId,
        agent: agent.id,
        service: service.id,
        method,
        decision: kind === 'request' ? 'forwarded' : 'executed',
        reason: risk.source,
        risk: risk.score,
        status,
        ms: Math.round(durationMs),
        ...(error === null ? {} : { error }),
      },
      'request',
    );
  }

  /** Computes the spellings of the secrets once for each view of an agent and a service, not for each answer. */
  private redactor({ agent, service }: Departure, injection: Injection): Redactor {
    let ofAgent = this.redactors.get(agent);
    if (ofAgent === undefined) this.redactors.set(agent, (ofAgent = new WeakMap()));
    let redactor = ofAgent.get(service);
    if (redactor === undefined) {
      redactor = new Redactor([...injection.secrets, ...agent.keys]);
      ofAgent.set(service, redactor);
    }
    return redactor;
  }
}

/** A HEAD asks for the length, so the length is passed on, unless it counts encoded bytes. */
function passedToo(method: string, headers: [string, string][]): ReadonlySet<string> {
  const isEncoded = () => headers.some(([name]) => name.toLowerCase() === 'content-encoding');
  return method === 'HEAD' && !isEncoded() ? PASSED_ON_HEAD : PASSED_BEHIND_BASE_URLS;
}
