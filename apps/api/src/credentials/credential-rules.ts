import { CREDENTIALS_MAX, CREDENTIAL_NAME_MAX, CREDENTIAL_VALUE_MAX } from '#contracts/limits';
import type { OAuthSettings } from '#contracts/service-auth';
import { errors } from '../platform/errors.js';
import { certificateFaults, mayHaveLineBreaks } from './kinds/client-certificate.js';
import { findKind } from './kinds/kinds.js';
import type { Authentication, ServiceView } from '../service-view/service-view.js';

/** The credentials that an OAuth provider gives. */
export const OAUTH_TOKENS = ['access_token', 'refresh_token'];

/** The headers that carry a service's credentials, in lower case. Decrypts nothing. */
export function injectedHeaderNames(service: Pick<ServiceView, 'authType' | 'auth' | 'credentials'>): string[] {
  return headerNames(service, [...service.credentials.keys()]);
}

/** The same for credentials with these names. */
export function headerNames(service: Authentication, credentialNames: readonly string[]): string[] {
  const names = findKind(service)?.headerNames(service.auth ?? {}, credentialNames) ?? [];
  return names.map((name) => name.toLowerCase());
}

/** The names of credentials that a service needs and that this list lacks. */
export function missingCredentials(
  service: Authentication & Pick<ServiceView, 'oauth'>,
  names: readonly string[],
): string[] {
  if (service.oauth !== null) return missingForOAuth(service.oauth, names);
  const required = findKind(service)?.required(service.auth ?? {}, names) ?? [];
  return required.filter((name) => !names.includes(name));
}

/** The state of the connection says whether a token is missing. */
const missingForOAuth = ({ grant }: OAuthSettings, names: readonly string[]): string[] =>
  grant === 'client_credentials' && !names.includes('client_secret') ? ['client_secret'] : [];

/** @throws ApiError 400 that names each credential that can't be injected, and never a value */
export function assertCredentials(service: Authentication, credentials: Record<string, string>, now: Date): void {
  const entries = Object.entries(credentials);
  if (entries.length > CREDENTIALS_MAX) {
    throw errors.invalid(`credentials: must have at most ${CREDENTIALS_MAX} entries`);
  }
  assertCredentialNames(service, Object.keys(credentials));
  refuse(entries.map(([name, value]) => [name, valueFault(service, name, value)]));
  if (service.auth?.clientCertificate) refuse(certificateFaults(credentials, now));
}

/**
 * Whether these credentials can be added to stored ones. Stored values can only be replaced all together, so that the
 * previous set is kept.
 * @param stored names
 * @throws ApiError 400
 */
export function assertAddition(
  service: Authentication & Pick<ServiceView, 'oauth'>,
  stored: readonly string[],
  added: Record<string, string>,
  now: Date,
): void {
  const names = Object.keys(added);
  if (service.oauth !== null)
    throw errors.invalid('newCredentials: cannot add to the credentials of a service with oauth; replace them all');
  refuse(names.map((name) => [name, stored.includes(name) ? 'is stored already: replace all credentials' : null]));
  if (stored.length + names.length > CREDENTIALS_MAX) {
    throw errors.invalid(`newCredentials: must have at most ${CREDENTIALS_MAX} entries, with those that are stored`);
  }
  const halves = ['client_cert', 'client_key'].filter((name) => names.includes(name));
  if (service.auth?.clientCertificate && halves.length === 1) {
    throw errors.invalid('newCredentials: client_cert and client_key belong together');
  }
  assertCredentials(service, added, now);
}

/** @throws ApiError 400 */
export function assertCredentialNames(service: Authentication, names: readonly string[]): void {
  refuse(names.map((name) => [name, nameFault(service, name)]));
  if (service.authType !== 'api_key') return;
  const headers = headerNames(service, names);
  const twice = headers.find((header, index) => headers.indexOf(header) !== index);
  if (twice) throw errors.invalid(`credentials: more than one would be sent as the header ${twice}`);
}

/** Names that credentials of other types than `api_key` have, besides those that the type requires. */
const OPTIONAL_NAMES = ['client_secret', 'refresh_token', 'session_token'];

/**
 * The credentials that were stored for another use, such as a password, the secret of an OAuth client or the key of a
 * certificate. Every credential of an `api_key` service is sent as a header of its name, so these must not stay when a
 * service becomes one.
 */
export function ofOtherUse(before: Authentication, next: Authentication, names: readonly string[]): string[] {
  if (next.authType !== 'api_key') return [];
  const used = new Set([...(findKind(before)?.required(before.auth ?? {}, names) ?? []), ...OPTIONAL_NAMES]);
  const kept = new Set(before.authType === 'api_key' ? (findKind(next)?.required(next.auth ?? {}, names) ?? []) : []);
  return names.filter((name) => used.has(name) && !kept.has(name));
}

function refuse(found: [name: string, fault: string | null][]): void {
  const faults = found.flatMap(([name, fault]) =>
    fault === null ? [] : [`credentials.${name.slice(0, CREDENTIAL_NAME_MAX)}: ${fault}`],
  );
  if (faults.length > 0) throw errors.invalid(faults.join('; '));
}

function nameFault(service: Authentication, name: string): string | null {
  if (name === '' || name.length > CREDENTIAL_NAME_MAX) return `name must have 1 to ${CREDENTIAL_NAME_MAX} characters`;
  return findKind(service)?.nameFault?.(name) ?? null;
}

function valueFault(service: Authentication, name: string, value: string): string | null {
  if (value.length > CREDENTIAL_VALUE_MAX) return `must have at most ${CREDENTIAL_VALUE_MAX} characters`;
  const forbidden = service.auth?.clientCertificate && mayHaveLineBreaks(name) ? /\0/ : /[\r\n\0]/;
  if (forbidden.test(value)) return 'must not contain line breaks or NUL characters';
  return findKind(service)?.valueFault(name, value) ?? null;
}
