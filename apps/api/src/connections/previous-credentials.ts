import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual, MoreThan, type EntityManager } from 'typeorm';
import { CredentialEntity, PreviousCredentialSetEntity, ServiceEntity } from '#database';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { resetConnection, restoreConnection } from './connection-store.js';
import { listOrigins } from '../credentials/credential-origins.js';
import { PREVIOUS_CREDENTIALS_SQL } from '../credentials/stored-credentials-sql.js';
import { CredentialVault, type StoredCredential } from '../credentials/credential-vault.js';

const authenticationSql = (row: string): string =>
  `(${row}.auth_type, ${row}.auth, ${row}.oauth->>'grant', ${row}.oauth->>'tokenUrl', ${row}.oauth->>'clientId')`;

/** SQL condition: set `p` fits service `s` as it is now, and can still be put back at the moment `now`. */
const isKept = (now: string): string =>
  `p.service_id = s.id AND p.expires_at > ${now} AND ${authenticationSql('p')} IS NOT DISTINCT FROM ${authenticationSql('s')}`;

/**
 * SQL expression: until when the previous set of row `s` of `services` can be put back, or null.
 * @param now SQL for a moment
 */
export const previousExpirySql = (now: string): string =>
  `(SELECT p.expires_at FROM previous_credential_sets p WHERE ${isKept(now)})`;

/** SQL expression: the set that a rotation of row `s` of `services` has replaced, as JSON; null: none is kept. */
export const PREVIOUS_SET_SQL = `(SELECT json_build_object('authType', p.auth_type, 'auth', p.auth, 'credentials', ${PREVIOUS_CREDENTIALS_SQL})
    FROM previous_credential_sets p WHERE p.service_id = s.id)`;

const KEEP = `
  INSERT INTO previous_credential_sets
    (service_id, expires_at, credential_origins, auth_type, auth, oauth, connection, certificate_valid_to, rotated_at, rotated_by, rotated_by_name)
  SELECT id, $2, $3, auth_type, auth, oauth, (SELECT to_jsonb(c) FROM connections c WHERE c.service_id = s.id),
    certificate_valid_to, credentials_rotated_at, credentials_rotated_by, credentials_rotated_by_name
  FROM services s WHERE id = $1`;

const KEEP_VALUES = `
  INSERT INTO previous_credentials (service_id, name, encrypted_value)
  SELECT $1, name, "encryptedValue" FROM json_to_recordset($2) AS v (name text, "encryptedValue" text)`;

const WORKS = `
  SELECT EXISTS (SELECT FROM connections WHERE service_id = $1 AND NOT needs_reconnect)
    AND EXISTS (SELECT FROM credentials WHERE service_id = $1 AND name IN ('access_token', 'refresh_token')) AS works`;

const TAKE = `
  DELETE FROM previous_credential_sets p USING services s WHERE s.id = $1 AND ${isKept('$2')}
  RETURNING p.connection, p.credential_origins AS "credentialOrigins", p.certificate_valid_to AS "certificateValidTo", p.rotated_at AS "credentialsRotatedAt",
    p.rotated_by AS "credentialsRotatedBy", p.rotated_by_name AS "credentialsRotatedByName",
    (SELECT json_agg(json_build_object('name', v.name, 'encryptedValue', v.encrypted_value) ORDER BY v.id)
     FROM previous_credentials v WHERE v.service_id = p.service_id) AS credentials`;

type TakenSet = Pick<
  ServiceEntity,
  | 'certificateValidTo'
  | 'credentialOrigins'
  | 'credentialsRotatedAt'
  | 'credentialsRotatedBy'
  | 'credentialsRotatedByName'
> & { connection: object | null; credentials: StoredCredential[] };

/**
 * The previous credentials of services (docs/reference/dashboard-api.md#previous-credentials). Callers hold a lock on
 * the service.
 */
@Injectable()
export class PreviousCredentials {
  constructor(
    private readonly source: DataSource,
    private readonly vault: CredentialVault,
    private readonly clock: Clock,
  ) {}

  /**
   * Keeps the stored credentials, which are about to be replaced by `next`, in place of an older set. If `next` equals
   * the stored credentials, as in a repeated request, the older set stays.
   * @param until null: no set is kept
   */
  async keep(tx: EntityManager, serviceId: number, next: Record<string, string>, until: Date | null): Promise<void> {
    const stored = await tx.find(CredentialEntity, { where: { serviceId }, order: { id: 'ASC' } });
    if (until !== null && this.vault.isSame(serviceId, stored, next)) {
      const kept = { serviceId, expiresAt: MoreThan(this.clock.now()) };
      await tx.update(PreviousCredentialSetEntity, kept, { expiresAt: until });
      return;
    }
    await tx.delete(PreviousCredentialSetEntity, { serviceId });
    if (until === null || stored.length === 0 || !this.vault.isReadable(serviceId, stored)) return;
    const service = await tx.findOneByOrFail(ServiceEntity, { id: serviceId });
    await tx.query(KEEP, [serviceId, until, service.credentialOrigins ?? listOrigins(service)]);
    await tx.query(KEEP_VALUES, [serviceId, JSON.stringify(this.vault.renewed(serviceId, stored))]);
  }

  /**
   * Keeps the tokens of a connection that another sign-in is about to replace. A connection that no longer works, or
   * was never made, does not replace an older set.
   * @returns whether they are kept
   */
  async keepConnection(tx: EntityManager, serviceId: number, until: Date): Promise<boolean> {
    const [{ works }]: { works: boolean }[] = await tx.query(WORKS, [serviceId]);
    if (works) await this.keep(tx, serviceId, {}, until);
    return works;
  }

  /**
   * Puts the previous set back in place of the stored one. It may only be sent where it could be sent before.
   * @returns the stored names
   * @throws ApiError 409 if there is none
   */
  async restore(tx: EntityManager, { id, oauth }: Pick<ServiceEntity, 'id' | 'oauth'>): Promise<string[]> {
    const now = this.clock.now();
    const [[taken]]: [TakenSet[], number] = await tx.query(TAKE, [id, now]);
    if (taken === undefined) throw errors.noPreviousCredentials();
    const { credentials, connection, ...rotation } = taken;
    await tx.delete(CredentialEntity, { serviceId: id });
    await tx.insert(CredentialEntity, this.vault.renewed(id, credentials));
    if (oauth !== null) await resetConnection(tx, id, oauth);
    if (connection !== null) await restoreConnection(tx, id, connection);
    await tx.update(ServiceEntity, { id }, { ...rotation, updatedAt: now });
    return credentials.map(({ name }) => name);
  }

  /** Deletes the sets whose time has ended. @returns how many */
  async purge(): Promise<number> {
    const ended = { expiresAt: LessThanOrEqual(this.clock.now()) };
    const { affected } = await this.source.manager.delete(PreviousCredentialSetEntity, ended);
    return affected ?? 0;
  }
}
