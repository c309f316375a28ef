import { Injectable } from '@nestjs/common';
import { AgentDirectory, type AgentView } from '../agents/agent-directory.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { ApiError, errors } from '../platform/errors.js';
import { Drain } from '../platform/http/drain.js';
import type { StreamedAnswer } from './streamed-answer.js';

/** A revocation or a pause ends a stream within twice this time. */
const CHECK_MS = 2_000;
const RENEW_MS = 10_000;
/** An agent that reads nothing of a stream for this long is considered gone. */
const UNREAD_MAX_MS = 60_000;
/** After this time without a successful check, nobody knows whether the agent may still read. */
const UNCHECKED_MAX_MS = 15_000;
/**
 * Streams that are open when the gateway stops have this long to end by themselves. The rest of the drain is for
 * writing their records.
 */
const DRAIN_GRACE_MS = 25_000;

/** The reasons by the status with which the agent is refused now. Any other error says nothing about the agent. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [401, 'the agent key is no longer valid'],
  [403, 'the agent key may no longer be used from this address'],
]);

interface Running {
  agent: AgentView;
  serviceId: number;
  answer: StreamedAnswer;
  renew: (() => Promise<void>) | null;
  checkedAtMs: number;
  renewedAtMs: number;
  /** See `StreamedAnswer.unreadAt`. */
  unreadAt: number | null;
  unreadSinceMs: number;
}

/**
 * Watches the streams of this process: ends those whose agent may no longer use the service, renews their claims on
 * idempotency keys, and ends them when the gateway stops (docs/reference/agent-api.md#streams).
 */
@Injectable()
export class RunningStreams {
  private readonly running = new Map<StreamedAnswer, Running>();
  private timer: NodeJS.Timeout | undefined;
  private drainingSinceMs: number | null = null;
  private isChecking = false;

  constructor(
    private readonly agents: AgentDirectory,
    private readonly clock: Clock,
    private readonly drain: Drain,
    private readonly background: BackgroundWork,
  ) {}

  /** Ends the answer when the agent may no longer use the service. */
  watch(agent: AgentView, serviceId: number, answer: StreamedAnswer): void {
    const nowMs = this.clock.monotonicMs();
    const stream: Running = {
      agent,
      serviceId,
      answer,
      renew: null,
      checkedAtMs: nowMs,
      renewedAtMs: nowMs,
      unreadAt: null,
      unreadSinceMs: nowMs,
    };
    this.running.set(answer, stream);
    this.timer ??= setInterval(() => this.tick(), CHECK_MS).unref();
    void answer.ended.then(() => {
      this.running.delete(answer);
      if (this.running.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    });
  }

  /** @param renew renews the claim on the idempotency key of a watched answer */
  renewing(answer: StreamedAnswer, renew: () => Promise<void>): void {
    const stream = this.running.get(answer);
    if (stream === undefined) return;
    stream.renew = renew;
    // The claim is older than the stream, so it is renewed with the next tick.
    stream.renewedAtMs -= RENEW_MS;
  }

  private tick(): void {
    if (this.drain.hasBegun) this.drainingSinceMs ??= this.clock.monotonicMs();
    if (this.drainingSinceMs !== null && this.clock.monotonicMs() - this.drainingSinceMs >= DRAIN_GRACE_MS) {
      for (const { answer } of this.running.values()) answer.cut('the gateway is shutting down');
    }
    this.renewDue();
    this.cutUnread();
    // A check that takes long must not start a second one.
    if (this.isChecking) return this.cutUnchecked();
    this.isChecking = true;
    this.background.run('running streams', () => this.check().finally(() => (this.isChecking = false)));
  }

  private async check(): Promise<void> {
    const byCaller = new Map<string, Running[]>();
    for (const stream of this.running.values()) {
      const { keyHash, from = '' } = stream.agent;
      const caller = `${keyHash} ${from}`;
      byCaller.set(caller, [...(byCaller.get(caller) ?? []), stream]);
    }
    await Promise.all(Array.from(byCaller.values(), (streams) => this.checkCaller(streams)));
    this.cutUnchecked();
  }

  /** Does not wait for slow renewals, because a check must not be late. */
  private renewDue(): void {
    const nowMs = this.clock.monotonicMs();
    for (const stream of this.running.values()) {
      const { renew } = stream;
      if (renew === null || nowMs - stream.renewedAtMs < RENEW_MS) continue;
      stream.renewedAtMs = nowMs;
      this.background.run('claim of a stream', renew);
    }
  }

  /** @param streams those of one agent key and one client address */
  private async checkCaller(streams: Running[]): Promise<void> {
    try {
      const { services, paused } = await this.agents.latest(streams[0].agent);
      const nowMs = this.clock.monotonicMs();
      for (const stream of streams) {
        const service = services.find(({ id }) => id === stream.serviceId);
        const pause = paused ?? service?.paused ?? null;
        if (service === undefined) stream.answer.cut('the agent may no longer use the service');
        else if (pause !== null) stream.answer.cut(errors.paused(pause).message);
        else stream.checkedAtMs = nowMs;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) return;
      const reason = REASONS.get(error.statusCode);
      if (reason !== undefined) for (const { answer } of streams) answer.cut(reason);
    }
  }

  /** A stream that nobody reads would otherwise keep its memory until its time is over. */
  private cutUnread(): void {
    const nowMs = this.clock.monotonicMs();
    for (const stream of this.running.values()) {
      const { unreadAt } = stream.answer;
      if (unreadAt === null || unreadAt !== stream.unreadAt) stream.unreadSinceMs = nowMs;
      stream.unreadAt = unreadAt;
      if (nowMs - stream.unreadSinceMs < UNREAD_MAX_MS) continue;
      stream.answer.cut(`the agent read nothing for ${UNREAD_MAX_MS / 1000} s`);
    }
  }

  private cutUnchecked(): void {
    const nowMs = this.clock.monotonicMs();
    for (const { checkedAtMs, answer } of this.running.values()) {
      if (nowMs - checkedAtMs > UNCHECKED_MAX_MS) answer.cut('the agent could not be checked');
    }
  }
}
