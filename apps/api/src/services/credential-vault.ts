import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuthType } from '#contracts';
import { CredentialEntity } from '#database';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { errors } from '../platform/errors.js';
import { apiKeyHeader } from './credential-rules.js';
import { credentialBinding } from './encrypted-credentials.js';
import type { ServiceView } from './service-view.js';

/** What a forwarded request gets, and what must not come back. */
export interface Injection {
  headers: Record<string, string>;
  /** Every text that reveals the credential: values as stored, and as composed for the header. */
  secrets: string[];
}

/** Keeps credentials encrypted, and injects them into requests. Only the vault has a value in the clear. */
@Injectable()
export class CredentialVault {
  /**
   * One injection for each view. A view lives until the configuration changes. Decryption for each request would cost more
   * than the look-up.
   */
  private readonly injections = new WeakMap<ServiceView, Injection>();

  constructor(private readonly cipher: CredentialCipher) {}

  /** The headers that carry the service's credentials. @throws ApiError 500 when there is nothing usable to inject */
  injection(service: ServiceView): Injection {
    let injection = this.injections.get(service);
    if (injection === undefined) {
      injection = this.inject(service);
      this.injections.set(service, injection);
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

  private inject(service: ServiceView): Injection {
    return compose(service.authType, [...service.credentials.keys()], (name) => this.reveal(service, name));
  }

  /** The headers that would carry these credentials, which are not stored. @throws as `injection` */
  injectionOf(authType: AuthType, credentials: Record<string, string>): Injection {
    const values = new Map(Object.entries(credentials));
    return compose(authType, [...values.keys()], (name) => {
      const value = values.get(name);
      if (value === undefined) throw errors.noCredentials();
      return value;
    });
  }

  /** Replaces all credentials. The caller must hold a lock on the service, and have checked the credentials. */
  async replace(tx: EntityManager, serviceId: number, credentials: Record<string, string>): Promise<void> {
    await tx.delete(CredentialEntity, { serviceId });
    await tx.insert(
      CredentialEntity,
      Object.entries(credentials).map(([name, value]) => ({
        serviceId,
        name,
        encryptedValue: this.cipher.encrypt(value, credentialBinding(serviceId, name)),
      })),
    );
  }

  private reveal(service: ServiceView, name: string): string {
    const encrypted = service.credentials.get(name);
    if (encrypted === undefined) throw errors.noCredentials();
    try {
      return this.cipher.decrypt(encrypted, credentialBinding(service.id, name));
    } catch (error) {
      throw errors.undecryptable(error);
    }
  }
}

/** @param reveal returns a value by its name, or throws when there is none */
function compose(authType: AuthType, names: readonly string[], reveal: (name: string) => string): Injection {
  switch (authType) {
    case 'bearer':
      return bearer(reveal('token'));
    case 'oauth2':
      return bearer(reveal('access_token'));
    case 'basic':
      return basic(reveal('username'), reveal('password'));
    case 'api_key':
      return apiKeys(names, reveal);
    default:
      throw errors.unsupportedAuthType(authType);
  }
}

function apiKeys(names: readonly string[], reveal: (name: string) => string): Injection {
  if (names.length === 0) throw errors.noCredentials();
  const injection: Injection = { headers: Object.create(null) as Record<string, string>, secrets: [] };
  for (const name of names) {
    const value = reveal(name);
    injection.headers[apiKeyHeader(name)] = value;
    injection.secrets.push(value);
  }
  return injection;
}

function bearer(token: string): Injection {
  return { headers: { Authorization: `Bearer ${token}` }, secrets: [token] };
}

/**
 * A user name is an identifier that answers may well contain. With an empty password it is the key itself, as some APIs use
 * it.
 */
function basic(username: string, password: string): Injection {
  const pair = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
  return { headers: { Authorization: `Basic ${pair}` }, secrets: [pair, password === '' ? username : password] };
}
