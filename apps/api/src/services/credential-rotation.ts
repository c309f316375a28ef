import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuthSettings, ReplaceCredentialsResponse } from '#contracts';
import { inTransaction, ServiceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Clock } from '../platform/clock.js';
import type { ChangeAuthor } from './change-author.js';
import { validTo } from './connections/client-certificate.js';
import { resetConnection } from './connections/oauth/connection-store.js';
import { assertCredentials, missingCredentials } from './credential-rules.js';
import { CredentialVault } from './credential-vault.js';
import { lockService } from './locked-service.js';
import { PreviousCredentials } from './previous-credentials.js';

const HOUR_MS = 3_600_000;

type Replaced = Omit<ReplaceCredentialsResponse, 'message'>;

/**
 * Replaces the credentials of services. Each change is one transaction, so a request is always sent with one complete
 * set.
 */
@Injectable()
export class CredentialRotation {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly vault: CredentialVault,
    private readonly previous: PreviousCredentials,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Replaces all credentials.
   * @param graceHours how long the previous set can be put back; 0: not at all
   */
  replace(
    author: ChangeAuthor,
    id: number,
    credentials: Record<string, string>,
    graceHours: number,
  ): Promise<Replaced> {
    const credentialKeys = Object.keys(credentials);
    return inTransaction(this.source, async (tx) => {
      const service = await lockService(tx, author.actor.workspaceId, id);
      const now = this.clock.now();
      assertCredentials(service, credentials, now);
      const until = graceHours === 0 ? null : new Date(now.getTime() + graceHours * HOUR_MS);
      await this.previous.keep(tx, id, credentials, until);
      await this.vault.replace(tx, id, credentials);
      if (service.oauth !== null) await resetConnection(tx, id, service.oauth);
      const certificateValidTo = certificateEnd(service.auth, credentials);
      await tx.update(ServiceEntity, { id }, { ...rotation(author, now), certificateValidTo, updatedAt: now });
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'service.credentials_replaced',
        service: { id, name: service.name },
        details: { credentials: credentialKeys, graceHours },
      });
      return { credentialKeys, missingCredentials: missingCredentials(service, credentialKeys) };
    });
  }

  /**
   * Puts the previous set back. This works once.
   * @throws ApiError 409 if there is none
   */
  revert(author: ChangeAuthor, id: number): Promise<Replaced> {
    return inTransaction(this.source, async (tx) => {
      const service = await lockService(tx, author.actor.workspaceId, id);
      const credentialKeys = await this.previous.restore(tx, service);
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'service.credentials_reverted',
        service: { id, name: service.name },
        details: { credentials: credentialKeys },
      });
      return { credentialKeys, missingCredentials: missingCredentials(service, credentialKeys) };
    });
  }
}

/** Who stored the credentials of a service, and when. */
export function rotation({ actor }: ChangeAuthor, now: Date) {
  return { credentialsRotatedAt: now, credentialsRotatedBy: actor.id, credentialsRotatedByName: actor.name };
}

/** The time until which the certificate among the credentials is valid. Null: the service uses no certificate. */
export const certificateEnd = (auth: AuthSettings | null, credentials: Record<string, string>): Date | null =>
  auth?.clientCertificate ? validTo(credentials.client_cert ?? '') : null;
