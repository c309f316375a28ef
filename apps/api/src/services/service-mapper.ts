import { CREDENTIAL_MASK, REQUIRED_CREDENTIALS, type AuthType, type Service } from '#contracts';
import type { ServiceEntity } from '#database';

/** What a response shows of a stored service; moments in ISO 8601. */
export interface ServiceRow extends Pick<
  ServiceEntity,
  'id' | 'userId' | 'name' | 'baseUrl' | 'authType' | 'credentialsRotatedBy' | 'credentialsRotatedByName'
> {
  credentialsRotatedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The only way from a stored service to a response: of credentials it knows nothing but their names. */
export function toService(service: ServiceRow, credentialNames: readonly string[]): Service {
  return {
    id: service.id,
    userId: service.userId,
    name: service.name,
    baseUrl: service.baseUrl,
    authType: service.authType,
    credentials: Object.fromEntries(credentialNames.map((name) => [name, CREDENTIAL_MASK])),
    missingCredentials: missingCredentials(service.authType, credentialNames),
    credentialsRotatedAt: service.credentialsRotatedAt,
    credentialsRotatedBy:
      service.credentialsRotatedByName === null
        ? null
        : { id: service.credentialsRotatedBy, name: service.credentialsRotatedByName },
    createdAt: service.createdAt,
    updatedAt: service.updatedAt,
  };
}

/** Any name makes an `api_key` service ready, since each is a header of its own. */
export function missingCredentials(authType: AuthType, names: readonly string[]): string[] {
  if (authType === 'api_key' && names.length > 0) return [];
  return REQUIRED_CREDENTIALS[authType].filter((name) => !names.includes(name));
}
