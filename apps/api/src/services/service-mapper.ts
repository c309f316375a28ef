import { CREDENTIAL_MASK, type Service } from '#contracts';
import type { ServiceEntity } from '#database';
import { toConnection, type ConnectionRow } from '../connections/connection-view.js';
import { unconfirmedHosts } from '../credentials/credential-origins.js';
import { missingCredentials } from '../credentials/credential-rules.js';

/** The fields of a stored service that a response shows. */
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
  | 'askFor'
  | 'pausedReason'
  | 'pausedBy'
  | 'pausedByName'
  | 'certificateValidTo'
  | 'credentialsRotatedAt'
  | 'rejectedRotation'
  | 'pausedAt'
  | 'createdAt'
  | 'updatedAt'
> {
  credentialNames: string[];
  connection: ConnectionRow | null;
  previousExpiresAt: Date | null;
}

const DAY_MS = 24 * 3_600_000;

function rotationDueAt({ credentialsRotatedAt, rotateEveryDays }: ServiceRow): string | null {
  if (credentialsRotatedAt === null || rotateEveryDays === null) return null;
  return new Date(credentialsRotatedAt.getTime() + rotateEveryDays * DAY_MS).toISOString();
}

/** Credentials that were stored after the test have not been rejected. */
const areRejected = ({ credentialsRotatedAt, rejectedRotation }: ServiceRow): boolean =>
  rejectedRotation !== null && rejectedRotation.getTime() === credentialsRotatedAt?.getTime();

/** Converts a stored service to a response. All responses use this function. Only the names of credentials are read. */
export function toService(service: ServiceRow): Service {
  const { credentialNames } = service;
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
        : toConnection(service.oauth, service.connection, credentialNames),
    certificate: service.certificateValidTo === null ? null : { validTo: service.certificateValidTo.toISOString() },
    credentials: Object.fromEntries(credentialNames.map((name) => [name, CREDENTIAL_MASK])),
    missingCredentials: missingCredentials(service, credentialNames),
    unconfirmedHosts: unconfirmedHosts(service),
    rewriteLinks: service.rewriteLinks,
    requestCodings: service.requestCodings ?? (service.auth?.aws === undefined ? 'decode' : 'keep'),
    baseUrlDefaults: { idempotency: service.baseUrlIdempotency, wait: service.baseUrlWait },
    askFor: service.askFor,
    credentialsRotatedAt: service.credentialsRotatedAt?.toISOString() ?? null,
    credentialsRotatedBy:
      service.credentialsRotatedByName === null
        ? null
        : { id: service.credentialsRotatedBy, name: service.credentialsRotatedByName },
    credentialsRejected: areRejected(service),
    rotateEveryDays: service.rotateEveryDays,
    rotationDueAt: rotationDueAt(service),
    previousCredentials:
      service.previousExpiresAt === null ? null : { expiresAt: service.previousExpiresAt.toISOString() },
    isPaused: service.pausedAt !== null,
    pausedReason: service.pausedReason,
    pausedAt: service.pausedAt?.toISOString() ?? null,
    pausedBy: service.pausedByName === null ? null : { id: service.pausedBy, name: service.pausedByName },
    createdAt: service.createdAt.toISOString(),
    updatedAt: service.updatedAt.toISOString(),
  };
}
