import { AUTH_TYPES, CreateServiceRequest, UpdateServiceRequest, type AuthSettings } from '#contracts';
import { alsoCheck, collectFaults } from '../platform/http/validation.js';
import { assertBaseUrl } from './base-url.js';
import { assertAuth, assertKeysExist } from '../credentials/kinds/auth-rules.js';
import { assertOAuth } from '../connections/oauth-rules.js';
import { assertCredentials } from '../credentials/credential-rules.js';

/**
 * Validation rules for services that a DTO can't express. Their errors are reported together with the DTO's
 * (docs/reference/http.md#validation).
 */
for (const type of [CreateServiceRequest, UpdateServiceRequest]) {
  alsoCheck<UpdateServiceRequest, 'baseUrl'>(type, 'baseUrl', (baseUrl) =>
    typeof baseUrl === 'string' ? collectFaults(() => assertBaseUrl(baseUrl)) : [],
  );
}

/** The registry compares certificates with the clock. */
const ALWAYS = new Date(0);

alsoCheck(CreateServiceRequest, 'credentials', (credentials, dto) => {
  const { authType, auth = null } = dto;
  const checkable = AUTH_TYPES.includes(authType) && isTextMap(credentials);
  return checkable ? collectFaults(() => assertCredentials({ authType, auth }, credentials, ALWAYS)) : [];
});

alsoCheck(CreateServiceRequest, 'auth', (auth, { authType, baseUrl, credentials }) => {
  if (!AUTH_TYPES.includes(authType) || !isWellTyped(auth) || typeof baseUrl !== 'string') return [];
  const faults = collectFaults(() => assertAuth({ authType, auth, baseUrl }));
  if (faults.length > 0 || !isTextMap(credentials)) return faults;
  return collectFaults(() => assertKeysExist(auth, Object.keys(credentials)));
});

alsoCheck(CreateServiceRequest, 'oauth', (oauth, { authType }) =>
  AUTH_TYPES.includes(authType) && typeof oauth.tokenUrl === 'string'
    ? collectFaults(() => assertOAuth(authType, oauth))
    : [],
);

alsoCheck(UpdateServiceRequest, 'pausedReason', (_reason, { isPaused }) =>
  isPaused === true ? [] : ['pausedReason: needs isPaused: true'],
);

const isWellTyped = ({ headers = {}, query = {} }: AuthSettings): boolean => isTextMap(headers) && isTextMap(query);

function isTextMap(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'string')
  );
}
