import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UPSTREAM_RESPONSE_MAX_BYTES } from '#contracts/limits';
import { EgressClient, EgressFailure, writtenPath, type EgressResponse, type StreamPolicy } from '#egress';
import { AgentDirectory, type AgentView } from '../agents/agent-directory.js';
import { StaleConfiguration } from '../agents/stale-configuration.js';
import { judgedBy, RequestRecords, type CountedWrite, type JudgedBy } from '../approvals/request-records.js';
import type { Answer } from '../egress/answer.js';
import { AuditLog } from '../audit/audit-log.js';
import type { NewAuditRecord } from '../audit/audit-record.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../platform/clock.js';
import { AgentsConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import { Turns } from '../platform/turns.js';
import { Connections, isConnected } from '../connections/connections.js';
import { withInjection } from '../credentials/kinds/with-injection.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import { isRepeatableRequest } from '../request-reading/repeatable-request.js';
import { failureError } from '../egress/egress-errors.js';
import { rateLimitHeaders } from '../risk/limits/limit-headers.js';
import { LimitReached } from '../risk/limits/limit-reached.js';
import { reachedLimit } from '../risk/limits/limit-to-count.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { Departure } from './departure.js';
import type { Streaming } from './proxy-call.js';
import { ForwardError } from './refusal.js';
import { isText, Redactor } from '../egress/redaction.js';
import { StreamRedactor } from '../egress/stream-redactor.js';
import { isEventStream, passedAnswer, streamedHeaders } from './passed-answer.js';
import { toRiskRequest } from './reviewed-call.js';
import { RunningStreams } from './running-streams.js';
import { StreamedAnswer } from './streamed-answer.js';

/**
 * If a request is not sent again after a 401, its answer waits this long for the new token, so that the next request
 * has it.
 */
const NEXT_TOKEN_MS = 5_000;

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
  private readonly redactors = new WeakMap<
    AgentView,
    WeakMap<ServiceView, { secrets: readonly string[]; redactor: Redactor }>
  >();

  constructor(
    private readonly vault: CredentialVault,
    private readonly connections: Connections,
    private readonly agents: AgentDirectory,
    private readonly egress: EgressClient,
    private readonly audit: AuditLog,
    private readonly records: RequestRecords,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly streams: RunningStreams,
    private readonly limits: AgentsConfig,
    private readonly turns: Turns,
    private readonly metrics: Metrics,
  ) {}

  /**
   * @throws StaleConfiguration, StandingDenial, LimitReached, or 500 for unusable credentials: nothing was sent. ForwardError: the
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
    const isRenewed = hasRenewed(departure);
    if (!departure.recorded && isConnected(service) && !(await this.connections.ensure(service, isRenewed))) {
      throw new StaleConfiguration(service.id);
    }
    // Runs before the record, because the record says that the request was sent. `OncePerKey` checks the same before it
    // writes the record with a claim.
    const injection = this.vault.injection(service);
    if (!departure.recorded) await this.metrics.step('record', () => this.record(departure));
    const startMs = this.clock.monotonicMs();
    try {
      const { url, method, headers } = departure;
      const body = departure.body === null ? null : departure.body.bytes;
      const request = withInjection({ url, method, headers, body }, injection, this.now);
      // A signature covers the path, and an injected query replaces it.
      if (request.url === url && injection.sign === undefined) request.path = writtenPath(departure.targetUrl, url);
      request.group = service.workspaceId;
      request.streams = STREAM_POLICIES[departure.streaming];
      const turn = (step: () => void): void => this.turns.take(departure.agent.id, step);
      request.sender = { turn, room: departure.room };
      const response = await this.metrics.step('upstream', () => this.egress.send(request));
      this.metrics.upstreamAnswered(response.status);
      if (response.stream !== null) return await this.stream(departure, response, response.stream, startMs);
      const redactor = this.redactor(departure);
      const answer = await this.turns.begin(departure.agent.id, passedAnswer(departure, response, redactor));
      departure.room?.made(answer.body.length);
      this.settle(departure, startMs, answer.status, answer.status, answer.body.length, null);
      return { ...answer, own: ownHeaders(departure) };
    } catch (error) {
      const known = error instanceof EgressFailure;
      if (known) this.metrics.upstreamAnswered(null);
      const failure = known ? failureError(departure.url.hostname, error) : errors.unexpected(error);
      this.settle(departure, startMs, failure.statusCode, null, null, known ? error.reason : failure.message);
      // An unforeseen error may have come after the request was sent.
      throw new ForwardError(failure, known ? error.sent : true);
    }
  }

  /**
   * Gets a new token after the API refused the one that was sent, and sends the request once more, under a record of its
   * own. It is the same request of the agent, so it is not counted again. Null: the first answer stands. A request that must not be sent again only gets the token for the next one. See
   * docs/reference/egress.md#after-401.
   */
  private async withNewToken(departure: Departure): Promise<Answer | StreamedAnswer | null> {
    const { service, headers } = departure;
    if (!isConnected(service) || hasRenewed(departure)) return null;
    const isAgain = isRepeatableRequest(toRiskRequest(departure, headers)) && !this.isTooLate(departure);
    // Whatever happens to the renewal, the API has answered.
    const renewal = this.connections.renewAfter401(service).catch(() => false);
    // The answer waits for the new token, so that the next request to any instance has it. If the request is not sent
    // again, the answer waits only a few seconds, because its claim would not outlast a slow provider.
    if (!(await (isAgain ? renewal : Promise.race([renewal, delay(NEXT_TOKEN_MS, false, { ref: false })]))))
      return null;
    if (!isAgain) return null;
    try {
      const latest = await this.agents.refresh(departure.agent);
      const agent = { ...latest, renewedServiceId: service.id };
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

  private async stream(
    departure: Departure,
    response: EgressResponse,
    chain: NonNullable<EgressResponse['stream']>,
    startMs: number,
  ): Promise<StreamedAnswer> {
    const redactor = this.redactor(departure);
    const { status } = response;
    const passed = await this.turns.begin(departure.agent.id, streamedHeaders(departure, response, redactor));
    const redaction = new StreamRedactor(redactor, {
      isText: isText(passed),
      hasEvents: isEventStream(passed),
      isAsSent: chain.length === 1,
      onBinary: () => chain[0].setBinary(),
      work: (steps) => this.turns.beginInTurn(departure.agent.id, steps),
      isBroken: () => chain[0].failure !== null,
    });
    const limits = {
      maxBytes: this.limits.streamMaxBytes,
      maxSeconds: this.limits.streamMaxSeconds,
      maxKeptBytes: UPSTREAM_RESPONSE_MAX_BYTES,
    };
    const answer = new StreamedAnswer(status, passed, [...chain, redaction], limits, ownHeaders(departure));
    this.streams.watch(departure.agent, departure.service.id, answer);
    // A door that fails writes an error instead, and would leave the stream open for ever.
    departure.room?.whenOver(() => answer.responseIsOver());
    void answer.ended.then(({ bytes, error }) => this.settle(departure, startMs, status, status, bytes, error));
    return answer;
  }

  /** Nothing is sent before this is durable (docs/reference/audit.md#before-sending). */
  private async record(departure: Departure): Promise<void> {
    const { kind, claimId, agent, service, risk, actionId, equal, wholeEqual } = departure;
    if (this.isTooLate(departure)) throw errors.requestGivenUp();
    const outcome = kind === 'request' ? 'forwarded' : 'executed';
    const record = this.audit.newRecord(outcome, {
      id: claimId,
      kind,
      agent,
      call: departure,
      service,
      risk,
      actionId,
    });
    const until = isConnected(service) && this.connections.isFresh(service) ? 'renewal' : 'end';
    const write = (judged: JudgedBy): Promise<CountedWrite> => this.write(departure, record, judged);
    let { state, limits } = await write(judgedBy(agent, service, until, equal));
    if (state === 'denied') ({ state, limits } = await write(judgedBy(agent, service, until, await wholeEqual?.())));
    if (state === 'stale') throw new StaleConfiguration();
    if (state === 'denied') throw new StandingDenial();
    if (state === 'taken') throw errors.requestGivenUp();
    const reached = state === 'full' ? reachedLimit(limits) : null;
    if (reached !== null) {
      this.metrics.limitReached(reached.limit.then);
      throw new LimitReached(reached, kind === 'execution');
    }
    departure.counted ??= limits;
  }

  /** Writes the record, and counts the request with it unless it was counted before. */
  private async write(departure: Departure, record: NewAuditRecord, judged: JudgedBy): Promise<CountedWrite> {
    const { agent, service, kind, limits, counted } = departure;
    if (limits.length === 0 || counted !== null) {
      return { state: await this.records.write(record, judged), limits: [] };
    }
    const isExecution = kind === 'execution';
    return this.records.writeCounted(record, judged, { recordId: record.id, agent, service, isExecution, limits });
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

  /**
   * Computes the spellings of the secrets once for each view of an agent and a service, not for each answer, and again
   * when a token was renewed meanwhile.
   */
  private redactor({ agent, service }: Departure): Redactor {
    let ofAgent = this.redactors.get(agent);
    if (ofAgent === undefined) this.redactors.set(agent, (ofAgent = new WeakMap()));
    const secrets = this.vault.secretsToRedact(service);
    let known = ofAgent.get(service);
    if (known?.secrets !== secrets) {
      known = { secrets, redactor: new Redactor([...secrets, ...agent.keys]) };
      ofAgent.set(service, known);
    }
    return known.redactor;
  }
}

/** Where a limit applies, the answer has its fields in place of the upstream's. */
const ownHeaders = ({ counted }: Departure): Answer['headers'] => rateLimitHeaders(counted ?? []);

/** A request renews a token once: tokens may live for less time than a request takes. */
const hasRenewed = ({ agent, service }: Departure): boolean => agent.renewedServiceId === service.id;
