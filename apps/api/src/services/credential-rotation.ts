import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AuthSettings, ReplaceCredentialsResponse } from '#contracts';
import { inTransaction, ServiceEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations } from '../auth/confirmations.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { validTo } from '../credentials/kinds/client-certificate.js';
import { resetConnection } from '../connections/connection-store.js';
import { unconfirmedHosts } from '../credentials/credential-origins.js';
import { assertCredentials, headerNames, missingCredentials } from '../credentials/credential-rules.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import { lockService } from '../service-view/stored-service.js';
import { PreviousCredentials } from '../connections/previous-credentials.js';

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
    private readonly confirmations: Confirmations,
  ) {}

  /**
   * Replaces all credentials.
   * @param graceHours how long the previous set can be put back; 0: not at all
   * @throws ApiError 400, 403 unless the person has confirmed other headers where the workspace asks for it, 404
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
      await this.assertMaySend(tx, author, service, await this.vault.names(tx, id), credentialKeys);
      const until = graceHours === 0 ? null : new Date(now.getTime() + graceHours * HOUR_MS);
      await this.previous.keep(tx, id, credentials, until);
      await this.vault.replace(tx, id, credentials);
      if (service.oauth !== null) await resetConnection(tx, id, service.oauth);
      const certificateValidTo = certificateEnd(service.auth, credentials);
      await tx.update(
        ServiceEntity,
        { id },
        { ...rotation(author, now), certificateValidTo, credentialOrigins: null, updatedAt: now },
      );
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
   * Lets the stored secrets be sent to the hosts that the service has moved to.
   * @param hosts that the person has seen
   * @throws ApiError 403 unless the person has just confirmed who they are, 409 when other hosts wait
   */
  confirm(author: ChangeAuthor, id: number, hosts: string[]): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const service = await lockService(tx, author.actor.workspaceId, id);
      const waiting = unconfirmedHosts(service);
      if (!isDeepStrictEqual(new Set(hosts), new Set(waiting))) throw errors.otherHostsWait(waiting.join(', '));
      await this.confirmations.assertConfirmed(tx, author.actor);
      await tx.update(ServiceEntity, { id }, { credentialOrigins: null, updatedAt: this.clock.now() });
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'service.credentials_confirmed',
        service: { id, name: service.name },
        details: { hosts },
      });
    });
  }

  /**
   * Puts the previous set back. This works once.
   * @throws ApiError 403 as `replace`, 409 if there is none
   */
  revert(author: ChangeAuthor, id: number): Promise<Replaced> {
    return inTransaction(this.source, async (tx) => {
      const service = await lockService(tx, author.actor.workspaceId, id);
      const stored = await this.vault.names(tx, id);
      const credentialKeys = await this.previous.restore(tx, service);
      await this.assertMaySend(tx, author, service, stored, credentialKeys);
      await this.audit.recordChange(tx, {
        ...author,
        reason: 'service.credentials_reverted',
        service: { id, name: service.name },
        details: { credentials: credentialKeys },
      });
      return { credentialKeys, missingCredentials: missingCredentials(service, credentialKeys) };
    });
  }

  /**
   * Headers that are sent with each request can change what it means.
   * @param from the names of the credentials before the change @param to after it
   * @throws ApiError 403 `confirmation_required`
   */
  private async assertMaySend(
    tx: EntityManager,
    { actor }: ChangeAuthor,
    service: ServiceEntity,
    from: string[],
    to: string[],
  ): Promise<void> {
    const [before, after] = [from, to].map((names) => new Set(headerNames(service, names)));
    if (!isDeepStrictEqual(before, after)) await this.confirmations.assertMayWeaken(tx, actor);
  }
}

/** Who stored the credentials of a service, and when. */
export function rotation({ actor }: ChangeAuthor, now: Date) {
  return { credentialsRotatedAt: now, credentialsRotatedBy: actor.id, credentialsRotatedByName: actor.name };
}

/** The time until which the certificate among the credentials is valid. Null: the service uses no certificate. */
export const certificateEnd = (auth: AuthSettings | null, credentials: Record<string, string>): Date | null =>
  auth?.clientCertificate ? validTo(credentials.client_cert ?? '') : null;
