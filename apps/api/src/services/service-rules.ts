import { AUTH_TYPES, CreateServiceRequest, ReplaceCredentialsRequest, UpdateServiceRequest } from '#contracts';
import { alsoCheck, faultsOf } from '../platform/http/validation.js';
import { assertBaseUrl } from './base-url.js';
import { assertCredentials } from './credential-rules.js';

/** Rules of services that need more than their DTOs: told together with those (docs/reference/http.md#validation). */
for (const type of [CreateServiceRequest, UpdateServiceRequest]) {
  alsoCheck(type, 'baseUrl', (baseUrl) => (typeof baseUrl === 'string' ? faultsOf(() => assertBaseUrl(baseUrl)) : []));
}

// On the class that has the field: rules of a derived one would take the place of its own.
alsoCheck(ReplaceCredentialsRequest, 'credentials', (credentials, dto) => {
  const { authType } = dto as Partial<CreateServiceRequest>;
  const checkable = authType !== undefined && AUTH_TYPES.includes(authType) && isTextMap(credentials);
  return checkable ? faultsOf(() => assertCredentials(authType, credentials)) : [];
});

function isTextMap(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'string')
  );
}
