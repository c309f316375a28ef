import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { GatewayEvent } from '#contracts';
import { DatabaseClient } from '#database';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { INSTANCE_NAME } from '../crypto/reencryption.js';
import { DatabaseConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';

const CHANNEL = 'agw_events';
const RECONNECT_MS = 1000;
/** Probing the connection detects that it died silently. */
const PROBE_MS = 10_000;
const ANSWER_MS = 3000;

/**
 * An event is about a thing in a workspace, or about a session of a person. `due` is set if something was queued for
 * delivery.
 */
type StoredEvent = GatewayEvent & { workspaceId?: number; userId?: number; due?: boolean };

interface Subscriber {
  workspaceId: number;
  userId: number;
  onEvent(event: GatewayEvent): void;
  /** Called when events may have been missed or the gateway stops. End the stream, so that the reader reconnects. */
  onEnd(): void;
}

/**
 * Live updates across all instances. Database triggers emit the events when the transaction of a change commits. One
 * connection per process listens and passes them on to the streams and to waiting agents.
 */
@Injectable()
export class EventHub implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private client: DatabaseClient | null = null;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** By workspace. */
  private readonly subscribers = new Map<number, Set<Subscriber>>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly onDue: (() => void)[] = [];

  constructor(
    private readonly database: DatabaseConfig,
    private readonly cipher: CredentialCipher,
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
    // Cleared before the connection ends, so that `onLost` ignores the end.
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  /** Whether this process receives events about changes that other processes make. */
  get connected(): boolean {
    return this.client !== null;
  }

  /** Whether the gateway is stopping. No more events arrive, so callers must not wait for one. */
  get isStopped(): boolean {
    return this.stopped;
  }

  get subscriberCount(): number {
    let count = 0;
    for (const set of this.subscribers.values()) count += set.size;
    return count;
  }

  /** How many streams a person reads from this process. */
  countStreams(userId: number): number {
    let count = 0;
    for (const set of this.subscribers.values()) for (const each of set) if (each.userId === userId) count++;
    return count;
  }

  /** @returns a function that unsubscribes */
  subscribe(subscriber: Subscriber): () => void {
    const { workspaceId } = subscriber;
    if (this.stopped) subscriber.onEnd();
    const set = this.subscribers.get(workspaceId) ?? new Set();
    this.subscribers.set(workspaceId, set.add(subscriber));
    return () => {
      set.delete(subscriber);
      if (set.size === 0 && this.subscribers.get(workspaceId) === set) this.subscribers.delete(workspaceId);
    };
  }

  /**
   * Resolves when the action changes, when `timeoutMs` have passed, when `signal` aborts, or when changes may have been
   * missed. Call this first and read the action afterwards, so that no change is missed in between.
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

  /** @param listener called when a delivery is due, and when the event for one may have been missed */
  listenForDue(listener: () => void): void {
    this.onDue.push(listener);
  }

  private async listen(): Promise<void> {
    const client = new DatabaseClient({
      to: this.database.connection,
      limits: { statementMs: ANSWER_MS, lockMs: ANSWER_MS, idleInTransactionMs: ANSWER_MS },
      // `npm run rotate-secret` reads here which key the instances use.
      applicationName: `${INSTANCE_NAME} ${this.cipher.fingerprint}`,
      connectMs: ANSWER_MS,
      queryMs: ANSWER_MS,
    });
    client.on('error', (err) => this.onLost(client, err));
    client.on('end', () => this.onLost(client, new Error('connection ended')));
    client.on('notification', ({ payload }) => this.onNotification(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.stopped) return await client.end();
      this.client = client;
      // Events before this point may have been missed.
      this.endAll();
      for (const listener of this.onDue) this.contained(listener);
      this.scheduleProbe(client);
    } catch (err) {
      this.log.warn({ err }, 'live updates: no connection to the database');
      await client.end().catch(() => undefined);
      this.scheduleListen();
    }
  }

  private onLost(client: DatabaseClient, err: Error): void {
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

  private scheduleProbe(client: DatabaseClient): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.client === client && this.scheduleProbe(client),
        (err: Error) => this.onLost(client, err),
      );
    }, PROBE_MS);
  }

  /** The payload can contain anything, because every database client can send a notification. */
  private onNotification(payload: string | undefined): void {
    this.contained(() => this.dispatch(JSON.parse(payload ?? '') as StoredEvent));
  }

  private dispatch({ workspaceId, userId, due, ...event }: StoredEvent): void {
    if (due) for (const listener of this.onDue) this.contained(listener);
    for (const wake of [...(this.waiting.get(String(event.id)) ?? [])]) wake();
    for (const subscriber of this.findSubscribers(workspaceId, userId)) this.contained(() => subscriber.onEvent(event));
  }

  private findSubscribers(workspaceId: number | undefined, userId: number | undefined): Subscriber[] {
    if (workspaceId !== undefined) return [...(this.subscribers.get(workspaceId) ?? [])];
    const all = [...this.subscribers.values()].flatMap((set) => [...set]);
    return all.filter((subscriber) => subscriber.userId === userId);
  }

  private endAll(): void {
    for (const set of [...this.waiting.values()]) for (const wake of [...set]) wake();
    for (const set of [...this.subscribers.values()]) {
      for (const subscriber of [...set]) this.contained(() => subscriber.onEnd());
    }
  }

  /** Catches errors of one listener, so that they affect neither the others nor the listening connection. */
  private contained(tell: () => void): void {
    try {
      tell();
    } catch (err) {
      this.log.error({ err }, 'live updates: a listener failed');
    }
  }
}
