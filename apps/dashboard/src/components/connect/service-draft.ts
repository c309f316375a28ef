import type { CreateServiceRequest } from '#contracts';
import { DEFAULT_API_KEY_HEADER } from '#contracts/headers';
import { REQUIRED_CREDENTIALS, type AuthType } from '#contracts/states';
import { readBaseUrl } from './base-url.js';
import type { ServiceTemplate } from './templates.js';

export interface CredentialField {
  name: string;
  value: string;
}

/** A service as it is being typed. Its credentials live in the form's memory only. */
export interface ServiceDraft {
  name: string;
  baseUrl: string;
  authType: AuthType;
  credentials: CredentialField[];
}

/** The fields that an auth type needs, empty. */
export function emptyCredentials(authType: AuthType, header: string = DEFAULT_API_KEY_HEADER): CredentialField[] {
  if (authType === 'api_key') return [{ name: header, value: '' }];
  return REQUIRED_CREDENTIALS[authType].map((name) => ({ name, value: '' }));
}

export const emptyDraft = (): ServiceDraft => ({
  name: '',
  baseUrl: '',
  authType: 'bearer',
  credentials: emptyCredentials('bearer'),
});

export const draftOf = ({ name, baseUrl, authType, header }: ServiceTemplate): ServiceDraft => ({
  name,
  baseUrl,
  authType,
  credentials: emptyCredentials(authType, header),
});

/** Basic takes an empty half (RFC 7617); every other credential needs a value. */
export const credentialsReady = (authType: AuthType, credentials: readonly CredentialField[]): boolean =>
  authType === 'basic'
    ? credentials.some(({ value }) => value !== '')
    : credentials.length > 0 && credentials.every(({ name, value }) => name.trim() !== '' && value !== '');

export const isReady = (draft: ServiceDraft): boolean =>
  draft.name.trim() !== '' &&
  readBaseUrl(draft.baseUrl.trim()).fault === null &&
  credentialsReady(draft.authType, draft.credentials);

export const credentialMap = (credentials: readonly CredentialField[]): Record<string, string> =>
  Object.fromEntries(credentials.map(({ name, value }) => [name.trim(), value]));

export const toRequest = (draft: ServiceDraft): CreateServiceRequest => ({
  name: draft.name.trim(),
  baseUrl: draft.baseUrl.trim(),
  authType: draft.authType,
  credentials: credentialMap(draft.credentials),
});
