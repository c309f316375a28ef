import { AUTH_TYPES, CreateServiceRequest, ReplaceCredentialsRequest, UpdateServiceRequest } from '#contracts';
import { alsoCheck, faultsOf } from '../platform/http/validation.js';
import { assertBaseUrl } from './base-url.js';
import { assertCredentials } from './credential-rules.js';

/**
 * Validation rules for services that a DTO can't express. Their errors are reported together with the DTO's
 * (docs/reference/http.md#validation).
 */
for (const type of [CreateServiceRequest, UpdateServiceRequest]) {
  alsoCheck(type, 'baseUrl', (baseUrl) => (typeof baseUrl === 'string' ? faultsOf(() => assertBaseUrl(baseUrl)) : []));
}

// Registered on the class that declares the field: rules of a derived class would replace its own.
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
