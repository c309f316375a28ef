import { CREDENTIAL_MASK, REQUIRED_CREDENTIALS, type AuthType, type Service } from '#contracts';
import type { ServiceEntity } from '#database';
import { isoOf } from '../platform/fast-lane/columns.js';

/** The fields of a stored service that a response shows; moments as `isoOf` reads them. */
export interface ServiceRow extends Pick<
  ServiceEntity,
  | 'id'
  | 'name'
  | 'baseUrl'
  | 'authType'
  | 'rewriteLinks'
  | 'baseUrlIdempotency'
  | 'baseUrlWait'
  | 'credentialsRotatedBy'
  | 'credentialsRotatedByName'
> {
  credentialsRotatedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The only way from a stored service to a response. Only the names of credentials are read. */
export function toService(userId: number, service: ServiceRow, credentialNames: readonly string[]): Service {
  return {
    id: service.id,
    userId,
    name: service.name,
    baseUrl: service.baseUrl,
    authType: service.authType,
    credentials: Object.fromEntries(credentialNames.map((name) => [name, CREDENTIAL_MASK])),
    missingCredentials: missingCredentials(service.authType, credentialNames),
    rewriteLinks: service.rewriteLinks,
    baseUrlDefaults: { idempotency: service.baseUrlIdempotency, wait: service.baseUrlWait },
    credentialsRotatedAt: service.credentialsRotatedAt && isoOf(service.credentialsRotatedAt),
    credentialsRotatedBy:
      service.credentialsRotatedByName === null
        ? null
        : { id: service.credentialsRotatedBy, name: service.credentialsRotatedByName },
    createdAt: isoOf(service.createdAt),
    updatedAt: isoOf(service.updatedAt),
  };
}

/** Any credential makes an `api_key` service ready, since each one is a header. */
export function missingCredentials(authType: AuthType, names: readonly string[]): string[] {
  if (authType === 'api_key' && names.length > 0) return [];
  return REQUIRED_CREDENTIALS[authType].filter((name) => !names.includes(name));
}
