import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Client } from 'pg';
import type { GatewayEvent } from '#contracts';
import { DatabaseConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';

const CHANNEL = 'agw_events';
const RECONNECT_MS = 1000;
/** A connection that died without a word is noticed by asking it. */
const PROBE_MS = 10_000;

/** `due`: of callbacks, that one more is to be delivered. */
type StoredEvent = GatewayEvent & { userId: number; due?: boolean };
export interface Subscriber {
  onEvent(event: GatewayEvent): void;
  /** Events may have been missed, or the gateway stops: end, and let the reader come again. */
  onEnd(): void;
}

/**
 * Live updates over all instances. Triggers in the database emit them with the transaction that made them true; one
 * connection per process listens, and hands them to the streams and to the agents that wait.
 */
@Injectable()
export class EventHub implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private client: Client | null = null;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private readonly subscribers = new Map<number, Set<Subscriber>>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private onCallbackDue: () => void = () => {};

  constructor(
    private readonly database: DatabaseConfig,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.listen();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  /** Ends every stream and every wait. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.endAll();
    const { client } = this;
    // Before it ends, so that its end is not taken for a loss.
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  /** Whether this process hears of changes made by others. */
  get connected(): boolean {
    return this.client !== null;
  }

  /** Whether the gateway stops: nothing is heard of any more, so that nobody may wait. */
  get isStopped(): boolean {
    return this.stopped;
  }

  get subscriberCount(): number {
    let count = 0;
    for (const set of this.subscribers.values()) count += set.size;
    return count;
  }

  /** @returns how to unsubscribe */
  subscribe(userId: number, subscriber: Subscriber): () => void {
    if (this.stopped) subscriber.onEnd();
    const set = this.subscribers.get(userId) ?? new Set();
    this.subscribers.set(userId, set.add(subscriber));
    return () => {
      set.delete(subscriber);
      if (set.size === 0 && this.subscribers.get(userId) === set) this.subscribers.delete(userId);
    };
  }

  /**
   * Resolves at the next change of the action, when `timeoutMs` have passed, when `signal` aborts, or when changes may
   * have been missed. Begin to wait first and read the action then, so that no change falls in between.
   */
  actionChange(actionId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.stopped || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        set.delete(done);
        if (set.size === 0 && this.waiting.get(actionId) === set) this.waiting.delete(actionId);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      signal.addEventListener('abort', done);
      const set = this.waiting.get(actionId) ?? new Set();
      this.waiting.set(actionId, set.add(done));
    });
  }

  /** @param listener called when a callback is to be delivered, and when that may have been missed */
  listenForCallbacks(listener: () => void): void {
    this.onCallbackDue = listener;
  }

  private async listen(): Promise<void> {
    const client = new Client({
      connectionString: this.database.url,
      application_name: 'agent-gateway-events',
      connectionTimeoutMillis: 3000,
      query_timeout: 3000,
      keepAlive: true,
    });
    client.on('error', (err) => this.onLost(client, err));
    client.on('end', () => this.onLost(client, new Error('connection ended')));
    client.on('notification', ({ payload }) => this.onNotification(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.stopped) return await client.end();
      this.client = client;
      // Whoever read before this moment may have missed an event.
      this.endAll();
      this.contained(this.onCallbackDue);
      this.scheduleProbe(client);
    } catch (err) {
      this.log.warn({ err }, 'live updates: no connection to the database');
      await client.end().catch(() => undefined);
      this.scheduleListen();
    }
  }

  private onLost(client: Client, err: Error): void {
    if (this.client !== client) return;
    this.client = null;
    this.log.warn({ err }, 'live updates: connection to the database lost');
    client.end().catch(() => undefined);
    this.endAll();
    this.scheduleListen();
  }

  private scheduleListen(): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.listen(), RECONNECT_MS);
  }

  private scheduleProbe(client: Client): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.client === client && this.scheduleProbe(client),
        (err: Error) => this.onLost(client, err),
      );
    }, PROBE_MS);
  }

  /** Whatever stands in it: everybody who can connect to the database can send one. */
  private onNotification(payload: string | undefined): void {
    this.contained(() => this.dispatch(JSON.parse(payload ?? '') as StoredEvent));
  }

  private dispatch({ userId, due, ...event }: StoredEvent): void {
    if (due) this.contained(this.onCallbackDue);
    for (const wake of [...(this.waiting.get(String(event.id)) ?? [])]) wake();
    for (const subscriber of [...(this.subscribers.get(userId) ?? [])]) {
      this.contained(() => subscriber.onEvent(event));
    }
  }

  private endAll(): void {
    for (const set of [...this.waiting.values()]) for (const wake of [...set]) wake();
    for (const set of [...this.subscribers.values()]) {
      for (const subscriber of [...set]) this.contained(() => subscriber.onEnd());
    }
  }

  /** What goes wrong for one listener is kept from the others, and from the connection that listens. */
  private contained(tell: () => void): void {
    try {
      tell();
    } catch (err) {
      this.log.error({ err }, 'live updates: a listener failed');
    }
  }
}
