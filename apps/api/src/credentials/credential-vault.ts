import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { In, type EntityManager } from 'typeorm';
import { CredentialEntity } from '#database';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { day } from './kinds/client-certificate.js';
import type { Credentials, Injection } from './kinds/injection.js';
import { findKind } from './kinds/kinds.js';
import { assertConfirmed } from './credential-origins.js';
import { OAUTH_TOKENS } from './credential-rules.js';
import { credentialBinding } from './encrypted-credentials.js';
import type { Authentication, ServiceView } from '../service-view/service-view.js';

export type StoredCredential = Pick<CredentialEntity, 'name' | 'encryptedValue'>;

const OAUTH_SECRETS = [...OAUTH_TOKENS, 'client_secret'];

/** A token that was just renewed works for a while at some providers. Long streams outlive several. */
const OAUTH_TOKENS_REMEMBERED = 8;
const SERVICES_REMEMBERED = 10_000;
const NO_OAUTH_TOKENS: readonly string[] = [];

/** Keeps credentials encrypted, and injects them into requests. Only the vault has a decrypted value. */
@Injectable()
export class CredentialVault {
  /**
   * One injection for each view. A view lives until the configuration changes. Decryption for each request would cost
   * more than the look-up.
   */
  private readonly injections = new WeakMap<ServiceView, Injection>();
  /** The tokens that this process has got lately, by service. A list is replaced, never changed. */
  private readonly tokens = new LRUCache<number, readonly string[]>({ max: SERVICES_REMEMBERED });
  private readonly hidden = new WeakMap<ServiceView, { tokens: readonly string[]; secrets: readonly string[] }>();

  constructor(
    private readonly cipher: CredentialCipher,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the headers, query parameters and certificate that carry the service's credentials.
   * @throws ApiError 500 when there is nothing usable to inject, 502 when a certificate has expired, or when the service
   * has moved to a host that nobody has confirmed
   */
  injection(service: ServiceView): Injection {
    let injection = this.injections.get(service);
    if (injection === undefined) {
      injection = this.inject(service);
      this.injections.set(service, injection);
    }
    const { certificate } = injection;
    if (certificate !== undefined && certificate.validToMs <= this.clock.nowMs()) {
      throw errors.certificateExpired(service.name, day(new Date(certificate.validToMs)));
    }
    return injection;
  }

  hasInjection(service: ServiceView): boolean {
    try {
      this.injection(service);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * The secrets that no answer of a service may contain: those that are sent, those that a rotation has replaced and a
   * revert can restore, and the old and new tokens of recent renewals. The list stays the same one until it changes.
   * @throws as `injection`
   */
  secretsToRedact(service: ServiceView): readonly string[] {
    const { secrets } = this.injection(service);
    const tokens = this.tokens.get(service.id) ?? NO_OAUTH_TOKENS;
    let hidden = this.hidden.get(service);
    if (hidden?.tokens !== tokens) {
      hidden = { tokens, secrets: [...secrets, ...tokens, ...this.previousSecrets(service)] };
      this.hidden.set(service, hidden);
    }
    return hidden.secrets;
  }

  private previousSecrets({ id, previous }: ServiceView): readonly string[] {
    if (previous === null) return [];
    // What can't be decrypted or composed any more can't be sent either.
    const values = previous.credentials.flatMap(([name, encryptedValue]) =>
      orNone((): [string, string][] => [[name, this.open(id, { name, encryptedValue })]]),
    );
    const secrets = orNone(() => this.injectionWith(previous, Object.fromEntries(values)).secrets);
    // If the connection had no access token yet, `secrets` is empty. So the OAuth secrets are always added.
    return [...secrets, ...values.filter(([name]) => OAUTH_SECRETS.includes(name)).map(([, value]) => value)];
  }

  private remember(serviceId: number, tokens: readonly string[]): void {
    const known = this.tokens.get(serviceId) ?? NO_OAUTH_TOKENS;
    const all = [...new Set([...tokens, ...known])].slice(0, OAUTH_TOKENS_REMEMBERED);
    this.tokens.set(serviceId, all);
  }

  private inject(service: ServiceView): Injection {
    const injection = compose(service, {
      names: [...service.credentials.keys()],
      reveal: (name) => this.reveal(service, name),
    });
    if (service.connection !== null) this.remember(service.id, this.oauthValues(service));
    return injection;
  }

  /** An API of the provider itself could return them. */
  private oauthValues(service: ServiceView): string[] {
    return OAUTH_SECRETS.filter((name) => service.credentials.has(name)).map((name) => this.reveal(service, name));
  }

  /**
   * The same for these credentials, which are not stored.
   * @throws as `injection`
   */
  injectionWith(service: Authentication, credentials: Record<string, string>): Injection {
    const values = new Map(Object.entries(credentials));
    const reveal = (name: string): string => {
      const value = values.get(name);
      if (value === undefined) throw errors.noCredentials();
      return value;
    };
    return compose(service, { names: [...values.keys()], reveal });
  }

  /** The names of the stored credentials of a service. */
  async names(tx: EntityManager, serviceId: number): Promise<string[]> {
    const stored = await tx.findBy(CredentialEntity, { serviceId });
    return stored.map(({ name }) => name);
  }

  /** Replaces all credentials. The caller must hold a lock on the service, and have checked the credentials. */
  async replace(tx: EntityManager, serviceId: number, credentials: Record<string, string>): Promise<void> {
    await tx.delete(CredentialEntity, { serviceId });
    await this.add(tx, serviceId, credentials);
  }

  /**
   * Stores more credentials, under names that are not stored yet. The caller must hold the lock and have checked them,
   * as for `replace`.
   */
  async add(tx: EntityManager, serviceId: number, credentials: Record<string, string>): Promise<void> {
    await tx.insert(
      CredentialEntity,
      Object.entries(credentials).map(([name, value]) => ({
        serviceId,
        name,
        encryptedValue: this.cipher.encrypt(value, credentialBinding(serviceId, name)),
      })),
    );
  }

  /** Whether these encrypted credentials of a service have exactly the values of `others`. */
  isSame(serviceId: number, stored: StoredCredential[], others: Record<string, string>): boolean {
    if (!this.isReadable(serviceId, stored) || stored.length !== Object.keys(others).length) return false;
    return stored.every((credential) => this.open(serviceId, credential) === others[credential.name]);
  }

  isReadable(serviceId: number, stored: StoredCredential[]): boolean {
    try {
      for (const credential of stored) this.open(serviceId, credential);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Encrypts the same credentials with the current secret, for another row of the service. Otherwise values that move
   * between tables during a change of the secret could stay encrypted with the old one.
   * @throws ApiError 500
   */
  renewed(serviceId: number, stored: StoredCredential[]): (StoredCredential & { serviceId: number })[] {
    return stored.map((credential) => {
      const { name } = credential;
      const value = this.open(serviceId, credential);
      return { serviceId, name, encryptedValue: this.cipher.encrypt(value, credentialBinding(serviceId, name)) };
    });
  }

  /**
   * The secrets that a request to the service's OAuth provider sends.
   * @throws ApiError 500, 502
   */
  oauthSecrets(service: ServiceView): { secret: string | undefined; refreshToken: string | undefined } {
    const stored = (name: string) => (service.credentials.has(name) ? this.reveal(service, name) : undefined);
    return { secret: stored('client_secret'), refreshToken: stored('refresh_token') };
  }

  /**
   * Stores the tokens that a provider gave. A new token does not change the service, so it does not increment the
   * version.
   */
  async storeTokens(
    tx: EntityManager,
    serviceId: number,
    { accessToken, refreshToken }: { accessToken: string; refreshToken: string | null },
  ): Promise<void> {
    await tx.query(`SELECT set_config('agent_gateway.same_values', 'on', true)`);
    // Requests in progress were sent with the one before it.
    this.remember(serviceId, refreshToken === null ? [accessToken] : [accessToken, refreshToken]);
    const tokens = { access_token: accessToken, ...(refreshToken === null ? {} : { refresh_token: refreshToken }) };
    for (const [name, value] of Object.entries(tokens)) {
      await tx.query(
        `INSERT INTO credentials (service_id, name, encrypted_value) VALUES ($1, $2, $3)
         ON CONFLICT (service_id, name) DO UPDATE SET encrypted_value = excluded.encrypted_value`,
        [serviceId, name, this.cipher.encrypt(value, credentialBinding(serviceId, name))],
      );
    }
    await tx.query(`SELECT set_config('agent_gateway.same_values', 'off', true)`);
  }

  async removeTokens(tx: EntityManager, serviceId: number): Promise<void> {
    await tx.delete(CredentialEntity, { serviceId, name: In(OAUTH_TOKENS) });
  }

  private reveal(service: ServiceView, name: string): string {
    assertConfirmed(service);
    const encrypted = service.credentials.get(name);
    if (encrypted === undefined) throw errors.noCredentials();
    return this.open(service.id, { name, encryptedValue: encrypted });
  }

  private open(serviceId: number, { name, encryptedValue }: StoredCredential): string {
    try {
      return this.cipher.decrypt(encryptedValue, credentialBinding(serviceId, name));
    } catch (error) {
      throw errors.undecryptable(error);
    }
  }
}

function compose(service: Authentication, credentials: Credentials): Injection {
  const kind = findKind(service);
  if (kind === undefined) throw errors.unsupportedAuthType(service.authType);
  return kind.inject(service.auth ?? {}, credentials);
}

function orNone<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch {
    return [];
  }
}
