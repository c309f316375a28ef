import { CREDENTIAL_MASK, type Service } from '#contracts';
import type { ServiceEntity } from '#database';
import { isoOf } from '../platform/fast-lane/columns.js';
import { toConnection, type ConnectionRow } from '../connections/connection-view.js';
import { unconfirmedHosts } from '../credentials/credential-origins.js';
import { missingCredentials } from '../credentials/credential-rules.js';

/** The fields of a stored service that a response shows. Times are in the format that `isoOf` reads. */
export interface ServiceRow extends Pick<
  ServiceEntity,
  | 'id'
  | 'userId'
  | 'name'
  | 'baseUrl'
  | 'authType'
  | 'auth'
  | 'oauth'
  | 'credentialOrigins'
  | 'rewriteLinks'
  | 'requestCodings'
  | 'baseUrlIdempotency'
  | 'baseUrlWait'
  | 'credentialsRotatedBy'
  | 'credentialsRotatedByName'
  | 'rotateEveryDays'
  | 'pausedReason'
  | 'pausedBy'
  | 'pausedByName'
> {
  certificateValidTo: string | null;
  connection: ConnectionRow | null;
  credentialsRotatedAt: string | null;
  previousExpiresAt: string | null;
  pausedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

const DAY_MS = 24 * 3_600_000;

function rotationDueAt({ credentialsRotatedAt, rotateEveryDays }: ServiceRow): string | null {
  if (credentialsRotatedAt === null || rotateEveryDays === null) return null;
  return new Date(Date.parse(isoOf(credentialsRotatedAt)) + rotateEveryDays * DAY_MS).toISOString();
}

/** Converts a stored service to a response. All responses use this function. Only the names of credentials are read. */
export function toService(service: ServiceRow, credentialNames: readonly string[]): Service {
  return {
    id: service.id,
    userId: service.userId,
    name: service.name,
    baseUrl: service.baseUrl,
    authType: service.authType,
    auth: service.auth,
    oauth: service.oauth,
    connection:
      service.oauth === null || service.connection === null
        ? null
        : toConnection(service.oauth, service.connection, credentialNames, isoOf),
    certificate: service.certificateValidTo === null ? null : { validTo: isoOf(service.certificateValidTo) },
    credentials: Object.fromEntries(credentialNames.map((name) => [name, CREDENTIAL_MASK])),
    missingCredentials: missingCredentials(service, credentialNames),
    unconfirmedHosts: unconfirmedHosts(service),
    rewriteLinks: service.rewriteLinks,
    requestCodings: service.requestCodings ?? (service.auth?.aws === undefined ? 'decode' : 'keep'),
    baseUrlDefaults: { idempotency: service.baseUrlIdempotency, wait: service.baseUrlWait },
    credentialsRotatedAt: service.credentialsRotatedAt && isoOf(service.credentialsRotatedAt),
    credentialsRotatedBy:
      service.credentialsRotatedByName === null
        ? null
        : { id: service.credentialsRotatedBy, name: service.credentialsRotatedByName },
    rotateEveryDays: service.rotateEveryDays,
    rotationDueAt: rotationDueAt(service),
    previousCredentials: service.previousExpiresAt === null ? null : { expiresAt: isoOf(service.previousExpiresAt) },
    isPaused: service.pausedAt !== null,
    pausedReason: service.pausedReason,
    pausedAt: service.pausedAt && isoOf(service.pausedAt),
    pausedBy: service.pausedByName === null ? null : { id: service.pausedBy, name: service.pausedByName },
    createdAt: isoOf(service.createdAt),
    updatedAt: isoOf(service.updatedAt),
  };
}
