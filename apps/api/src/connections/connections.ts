import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import { retry } from '../platform/retry.js';
import { assertConfirmed } from '../credentials/credential-origins.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import type { ConnectionView, ServiceView } from '../service-view/service-view.js';
import { canRenew } from './connection-view.js';
import { ConnectionStore } from './connection-store.js';
import { ProviderFailure } from './provider-failure.js';
import { OAuthProvider } from './provider.js';
import type { TokenSet } from './token-answer.js';

/** How often an instance asks whether another one has renewed the token. */
const POLL_MS = 100;
/** Another instance takes at most this long. After that, its claim has ended. */
const WAIT_MS = 25_000;
/** After a failed renewal, requests use a token that is still valid, and the next renewal waits this long. */
const PAUSE_MS = 10_000;
/**
 * The maximum number of services that pause at the same time. Any further service would only be tried again too soon.
 */
const PAUSED_MAX = 1_000;
/** A rotated refresh token exists only here until it is stored, so storing is tried for minutes. */
const SAVE_ATTEMPTS = 120;
const SAVE_RETRY_MS = 1_000;

interface ConnectedService extends ServiceView {
  connection: ConnectionView;
  oauth: NonNullable<ServiceView['oauth']>;
}

export const isConnected = (service: ServiceView): service is ConnectedService =>
  service.connection !== null && service.oauth !== null;

const isRenewable = ({ oauth, credentials }: ConnectedService): boolean =>
  canRenew(oauth, (key) => credentials.has(key));

const tokenKey = ({ id, connection }: ConnectedService): string => `${id} ${connection.tokenNumber}`;

/** `changed`: a newer token is stored, or the connection has ended: load the service again. */
type Renewal = { kind: 'changed' } | { kind: 'failed'; reason: string };

/**
 * Keeps the tokens of services valid: each is renewed before it expires, by one instance at a time
 * (docs/reference/egress.md#oauth).
 */
@Injectable()
export class Connections {
  /** One renewal for each token. Requests that need the token share it. */
  private readonly running = new Map<string, Promise<Renewal>>();
  /** Services whose renewal has just failed. */
  private readonly paused: LRUCache<number, true>;

  constructor(
    private readonly store: ConnectionStore,
    private readonly provider: OAuthProvider,
    private readonly vault: CredentialVault,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly background: BackgroundWork,
  ) {
    this.paused = new LRUCache({
      max: PAUSED_MAX,
      ttl: PAUSE_MS,
      ttlResolution: 0,
      perf: { now: () => clock.nowMs() },
    });
  }

  /** Whether the token of this view can be used as it is. */
  isFresh(service: ConnectedService): boolean {
    const { needsReconnect, isDue } = service.connection;
    return !needsReconnect && !isDue && service.credentials.has('access_token') && !this.isBeingReplaced(service);
  }

  /** A token that the API refused still looks fresh while this process gets another one. */
  private isBeingReplaced(service: ConnectedService): boolean {
    return this.running.size > 0 && this.running.has(tokenKey(service));
  }

  /**
   * Makes sure that the token can be used, and renews it if it is due.
   * @param isRenewed this request has renewed it before. It uses the token that it got, even if that token expires soon
   * @returns whether the view can be used; false: load the service again
   * @throws ApiError 502 that says what to do
   */
  async ensure(service: ConnectedService, isRenewed = false): Promise<boolean> {
    if (this.isFresh(service)) return true;
    this.assertUsable(service);
    if (!isRenewable(service) || (isRenewed && service.credentials.has('access_token'))) return true;
    const isGood = this.isGood(service);
    if (isGood && this.paused.has(service.id)) return true;
    const renewal = await this.renew(service, false);
    if (renewal.kind === 'changed') return false;
    if (isGood) return true;
    throw errors.connectionFailed(service.name, renewal.reason);
  }

  /**
   * Asks no provider, and renews nothing.
   * @throws ApiError 502 that says what to do if a person has to sign in, or to confirm a new host, first
   */
  assertUsable(service: ConnectedService): void {
    assertConfirmed(service);
    const { connection, credentials, name } = service;
    if (connection.needsReconnect) throw errors.connectionExpired(name);
    if (this.isGood(service) || isRenewable(service)) return;
    throw credentials.has('access_token') ? errors.connectionExpired(name) : errors.notConnected(name);
  }

  private isGood({ connection, credentials }: ConnectedService): boolean {
    return credentials.has('access_token') && !connection.hasEnded;
  }

  /**
   * Renews a token that the API refused with 401.
   * @returns whether another token is stored
   */
  async renewAfter401(service: ConnectedService): Promise<boolean> {
    if (!isRenewable(service)) return false;
    return (await this.renew(service, true)).kind === 'changed';
  }

  /** Resolves when the service has a newer token, or when it can't get one */
  renew(service: ConnectedService, after401: boolean): Promise<Renewal> {
    const key = tokenKey(service);
    let renewal = this.running.get(key);
    if (renewal === undefined) {
      renewal = this.takeTurn(service, after401).finally(() => this.running.delete(key));
      this.running.set(key, renewal);
      // Finishes even when no request waits for it any more: a shutdown must not lose a rotated refresh token.
      this.background.run('renewal of a connection', () => renewal!);
    }
    return renewal;
  }

  private async takeTurn(service: ConnectedService, after401: boolean): Promise<Renewal> {
    const { id, connection } = service;
    const { tokenNumber } = connection;
    const claimId = randomUUID();
    const until = this.clock.monotonicMs() + WAIT_MS;
    while (!(await this.store.claim(id, tokenNumber, claimId, after401))) {
      const progress = await this.store.progress(id, tokenNumber);
      if (progress === 'changed') return { kind: 'changed' };
      // Nobody else is renewing, and the claim was refused: a token of this kind was refused recently, so a new one
      // would be too.
      if (progress === 'idle' && after401) return { kind: 'failed', reason: 'The API refuses new tokens too' };
      if (this.clock.monotonicMs() > until) return { kind: 'failed', reason: 'Another instance takes too long' };
      await delay(POLL_MS);
    }
    return this.ask(service, claimId, after401);
  }

  private async ask(service: ConnectedService, claimId: string, after401: boolean): Promise<Renewal> {
    const { id, connection } = service;
    let tokens: TokenSet;
    try {
      tokens = await this.newTokens(service);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.warn({ service: id, err: error }, 'connection could not be renewed');
      if (error instanceof ProviderFailure && error.kind === 'rejected') {
        await this.store.giveUp(service, connection.tokenNumber, claimId, reason);
        return { kind: 'changed' };
      }
      this.paused.set(id, true);
      await this.store.release(id, claimId, reason);
      return { kind: 'failed', reason };
    }
    await retry(() => this.store.save(id, connection.tokenNumber, tokens, after401), {
      attempts: SAVE_ATTEMPTS,
      before: () => delay(SAVE_RETRY_MS),
    });
    this.paused.delete(id);
    this.log.info({ service: id }, 'connection renewed');
    return { kind: 'changed' };
  }

  private newTokens(service: ConnectedService): Promise<TokenSet> {
    const { secret, refreshToken } = this.vault.oauthSecrets(service);
    const client = { settings: service.oauth, secret, owner: service.owner };
    // With client credentials, the client requests a new token; there is nothing to refresh.
    if (service.oauth.grant === 'client_credentials') return this.provider.clientCredentials(client);
    return this.provider.refresh(client, refreshToken ?? '');
  }
}
