import type { OAuthSettings } from '#contracts';
import { parseUrl } from '#egress';
import { errors } from '../platform/errors.js';

/** Where a service sends its secrets, and what a person has confirmed. */
interface Addressed {
  baseUrl: string;
  oauth: OAuthSettings | null;
  /** The origins that the stored secrets may be sent to. Null: those of the present addresses. */
  credentialOrigins: readonly string[] | null;
}

/** The origins that a service uses with its secrets: of the API, of the token endpoint, and of the sign-in page. */
export function listOrigins({ baseUrl, oauth }: Pick<Addressed, 'baseUrl' | 'oauth'>): string[] {
  const urls = [baseUrl, oauth?.tokenUrl, oauth?.authorizationUrl].filter((url) => url !== undefined);
  return [...new Set(urls.map((url) => parseUrl(url)?.origin ?? url))];
}

/** The hosts that the stored secrets must not be sent to before a person confirms. An `http` host shows its scheme. */
export function unconfirmedHosts(service: Addressed): string[] {
  const { credentialOrigins } = service;
  if (credentialOrigins === null) return [];
  return listOrigins(service)
    .filter((origin) => !credentialOrigins.includes(origin))
    .map((origin) => origin.replace(/^https:\/\//, ''));
}

/**
 * Whoever may change an address could otherwise get the secrets sent there.
 * @throws ApiError 502
 */
export function assertConfirmed(service: Addressed & { name: string }): void {
  const hosts = unconfirmedHosts(service);
  if (hosts.length > 0) throw errors.credentialsUnconfirmed(service.name, hosts.join(' and '));
}

/**
 * The `credentialOrigins` of a service whose addresses change while it keeps stored secrets.
 * @param before with the addresses and origins before the change
 */
export function originsAfterMove(before: Addressed, after: Pick<Addressed, 'baseUrl' | 'oauth'>): string[] | null {
  if (before.credentialOrigins !== null) return [...before.credentialOrigins];
  const known = listOrigins(before);
  return listOrigins(after).every((origin) => known.includes(origin)) ? null : known;
}
