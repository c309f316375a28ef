import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry, type CounterConfiguration, type GaugeConfiguration } from 'prom-client';
import { LIMIT_THENS, type LimitThen } from '#contracts/states';
import { Clock } from '../platform/clock.js';
import { MetricsConfig } from '../platform/config.js';
import { packageVersion } from '../platform/package-version.js';
import {
  ACTION_STATES,
  ANSWER_CLASSES,
  CACHES,
  MODEL_RESULTS,
  QUEUES,
  STEPS,
  type Cache,
  type CountedState,
  type Door,
  type ModelResult,
  type Outcome,
  type Queue,
  type Step,
} from './metric-words.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** People decide. */
const DECISION_SECONDS = [5, 15, 60, 300, 900, 3600, 14_400, 86_400];
const QUANTILES = [0.5, 0.9, 0.99];
const LOOP_RESOLUTION_MS = 10;
/** The agents of the process that have their own series with `METRICS_DETAIL=agents`. */
const AGENTS_MAX = 200;

/** What the database says for all instances together. */
export interface DatabaseReading {
  open: Record<'pending' | 'approved', number>;
  queues: Partial<Record<Queue, { depth: number; oldestSeconds: number }>>;
  /** The clock of this process minus the database's. */
  clockOffsetSeconds: number;
}

/**
 * Everything that is counted and measured. Each part says what happened in its own words, and only this room knows the
 * library. Contract: docs/reference/metrics.md.
 */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  private readonly registry = new Registry();
  private readonly loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  private readonly agents = new Set<number>();

  private readonly requests = this.counter('requests_total', 'Requests of agents', ['door', 'outcome', 'reason']);
  private readonly requestSeconds = this.histogram('request_seconds', 'Time until the outcome', ['door', 'outcome']);
  private readonly stepSeconds = this.histogram('step_seconds', 'Time of one step of a request', ['step']);
  private readonly decisionSeconds = new Histogram({
    name: 'agw_decision_seconds',
    help: 'Time from holding a request to the decision about it',
    buckets: DECISION_SECONDS,
    registers: [this.registry],
  });
  private readonly answers = this.counter('upstream_answers_total', 'Answers of APIs; none: no answer came', ['class']);
  private readonly modelCalls = this.counter('model_calls_total', 'Calls of the risk model', ['result']);
  private readonly modelTokens = this.counter('model_tokens_total', 'Tokens that the model server counted', ['kind']);
  private readonly actions = this.counter('actions_total', 'Held requests that came into a state', ['state']);
  private readonly lookups = this.counter('cache_lookups_total', 'Lookups in a cache', ['cache', 'result']);
  private readonly reloads = this.counter('reloads_total', 'Stale configuration that was loaded again', ['of']);
  private readonly limited = this.counter('limited_total', 'Requests that did not fit into a limit', ['then']);
  private readonly agentRequests: Counter<'agent' | 'outcome'> | null;

  private readonly open = this.gauge('actions_open', 'Held requests that are open, in the database', ['state']);
  private readonly depth = this.gauge('queue_depth', 'Entries that wait, in the database', ['queue']);
  private readonly oldest = this.gauge('queue_oldest_seconds', 'How long the oldest entry has been due', ['queue']);
  private readonly databaseUp = this.gauge('database_up', 'Whether the database answered the last question');
  private readonly connections = this.gauge('database_connections', 'Connections of the pool', ['state']);
  private readonly clockOffset = this.gauge(
    'database_clock_offset_seconds',
    'Clock of this process minus clock of the database',
  );
  private readonly loopDelay = this.gauge('event_loop_delay_seconds', 'Delay of the event loop', ['quantile']);
  private readonly memory = this.gauge('memory_bytes', 'Memory of the process', ['kind']);

  constructor(
    private readonly clock: Clock,
    config: MetricsConfig,
  ) {
    this.agentRequests = config.agentDetail
      ? this.counter('agent_requests_total', 'Requests by agent', ['agent', 'outcome'])
      : null;
    this.gauge('build_info', 'Version of the gateway', ['version', 'node']).set(
      { version: packageVersion(), node: process.version },
      1,
    );
    this.counter('sealed_total', 'Leaves that were sealed');
    this.counter('spans_dropped_total', 'Spans that were not exported');
    this.showAllWords();
    this.loop.enable();
  }

  /**
   * One request of an agent has ended.
   * @param reason the code of an error, the source of the risk, `repeat` or `none`
   * @param seconds null: it was refused before anybody measured
   */
  request(door: Door, outcome: Outcome, reason: string, seconds: number | null): void {
    this.requests.inc({ door, outcome, reason });
    if (seconds !== null) this.requestSeconds.observe({ door, outcome }, seconds);
  }

  /** The same for `METRICS_DETAIL=agents`. Later agents share `other`, because each agent is a series. */
  agentRequest(agentId: number, outcome: Outcome): void {
    if (this.agentRequests === null) return;
    if (this.agents.size < AGENTS_MAX) this.agents.add(agentId);
    this.agentRequests.inc({ agent: this.agents.has(agentId) ? String(agentId) : 'other', outcome });
  }

  /** Measures a step, also if it fails. */
  async step<T>(step: Step, work: () => Promise<T>): Promise<T> {
    const startMs = this.clock.monotonicMs();
    try {
      return await work();
    } finally {
      this.stepTook(step, this.clock.monotonicMs() - startMs);
    }
  }

  stepTook(step: Step, ms: number): void {
    this.stepSeconds.observe({ step }, ms / 1000);
  }

  /** @param status null: no answer came */
  upstreamAnswered(status: number | null): void {
    this.answers.inc({ class: status === null ? 'none' : `${Math.floor(status / 100)}xx` });
  }

  modelCalled(result: ModelResult): void {
    this.modelCalls.inc({ result });
  }

  modelTokensUsed(prompt: number, completion: number): void {
    this.modelTokens.inc({ kind: 'prompt' }, prompt);
    this.modelTokens.inc({ kind: 'completion' }, completion);
  }

  actionsCameTo(state: CountedState, count = 1): void {
    this.actions.inc({ state }, count);
  }

  decided(seconds: number): void {
    this.decisionSeconds.observe(seconds);
  }

  lookedUp(cache: Cache, found: boolean): void {
    this.lookups.inc({ cache, result: found ? 'hit' : 'miss' });
  }

  reloaded(of: 'agent' | 'service'): void {
    this.reloads.inc({ of });
  }

  limitReached(then: LimitThen): void {
    this.limited.inc({ then });
  }

  /** @param reading null: the database did not answer, and what it said last stays */
  databaseRead(reading: DatabaseReading | null): void {
    this.databaseUp.set(reading === null ? 0 : 1);
    if (reading === null) return;
    this.open.set({ state: 'pending' }, reading.open.pending);
    this.open.set({ state: 'approved' }, reading.open.approved);
    for (const [queue, { depth, oldestSeconds }] of Object.entries(reading.queues)) {
      this.depth.set({ queue }, depth);
      this.oldest.set({ queue }, oldestSeconds);
    }
    this.clockOffset.set(reading.clockOffsetSeconds);
  }

  poolHas(connections: Record<'used' | 'idle' | 'waiting', number>): void {
    for (const [state, count] of Object.entries(connections)) this.connections.set({ state }, count);
  }

  /** Forgets the delays of the event loop, so that the quantiles are those of the time since. */
  readLoop(): void {
    for (const quantile of QUANTILES) {
      // The timer's own interval is no delay.
      const delayMs = this.loop.count === 0 ? 0 : this.loop.percentile(quantile * 100) / 1e6 - LOOP_RESOLUTION_MS;
      this.loopDelay.set({ quantile: String(quantile) }, Math.max(0, delayMs) / 1000);
    }
    this.loop.reset();
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const kinds = { rss, heap_used: heapUsed, heap_total: heapTotal, external };
    for (const [kind, bytes] of Object.entries(kinds)) this.memory.set({ kind }, bytes);
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  onApplicationShutdown(): void {
    this.loop.disable();
  }

  /** A rate of a series that appears with its first event misses that event. */
  private showAllWords(): void {
    for (const step of STEPS) this.stepSeconds.zero({ step });
    for (const word of ANSWER_CLASSES) this.answers.inc({ class: word }, 0);
    for (const result of MODEL_RESULTS) this.modelCalls.inc({ result }, 0);
    for (const state of ACTION_STATES) this.actions.inc({ state }, 0);
    for (const cache of CACHES) for (const result of ['hit', 'miss']) this.lookups.inc({ cache, result }, 0);
    for (const word of ['agent', 'service']) this.reloads.inc({ of: word }, 0);
    for (const then of LIMIT_THENS) this.limited.inc({ then }, 0);
    for (const state of ['pending', 'approved']) this.open.set({ state }, 0);
    for (const queue of QUEUES) {
      this.depth.set({ queue }, 0);
      this.oldest.set({ queue }, 0);
    }
    this.modelTokensUsed(0, 0);
    this.poolHas({ used: 0, idle: 0, waiting: 0 });
    this.readLoop();
  }

  private counter<T extends string>(name: string, help: string, labelNames: T[] = []): Counter<T> {
    return new Counter(this.named<CounterConfiguration<T>>(name, help, labelNames));
  }

  private gauge<T extends string>(name: string, help: string, labelNames: T[] = []): Gauge<T> {
    return new Gauge(this.named<GaugeConfiguration<T>>(name, help, labelNames));
  }

  private histogram<T extends string>(name: string, help: string, labelNames: T[]): Histogram<T> {
    return new Histogram({ ...this.named(name, help, labelNames), buckets: SECONDS });
  }

  private named<C>(name: string, help: string, labelNames: string[]): C {
    return { name: `agw_${name}`, help, labelNames, registers: [this.registry] } as C;
  }
}
