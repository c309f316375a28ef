import {
  CREDENTIALS_MAX,
  CREDENTIAL_NAME_MAX,
  CREDENTIAL_VALUE_MAX,
  DEFAULT_API_KEY_HEADER,
  type AuthType,
} from '#contracts';
import { HOP_BY_HOP, isValidHeaderName, isValidHeaderValue } from '#egress';
import { errors } from '../platform/errors.js';
import type { ServiceView } from './service-view.js';

/** Headers that describe how a message is framed or encoded. As a credential they would break the request. */
const FRAMING = new Set(['host', 'content-length', 'expect', 'accept-encoding', 'content-encoding', 'content-type']);

/** The header in which a credential of an `api_key` service is sent (docs/reference/egress.md#credentials). */
export const apiKeyHeader = (name: string): string => (name === 'api_key' ? DEFAULT_API_KEY_HEADER : name);

/** The headers that carry a service's credentials, in lower case. Decrypts nothing. */
export function injectedHeaderNames({
  authType,
  credentials,
}: Pick<ServiceView, 'authType' | 'credentials'>): string[] {
  if (authType !== 'api_key') return ['authorization'];
  return Array.from(credentials.keys(), (name) => apiKeyHeader(name).toLowerCase());
}

/** @throws ApiError 400 that names each credential that can't be injected, and never a value */
export function assertCredentials(authType: AuthType, credentials: Record<string, string>): void {
  const entries = Object.entries(credentials);
  if (entries.length > CREDENTIALS_MAX) {
    throw errors.invalid(`credentials: must have at most ${CREDENTIALS_MAX} entries`);
  }
  assertCredentialNames(authType, Object.keys(credentials));
  refuse(entries.map(([name, value]) => [name, valueFault(authType, name, value)]));
}

/** @throws ApiError 400 */
export function assertCredentialNames(authType: AuthType, names: readonly string[]): void {
  refuse(names.map((name) => [name, nameFault(authType, name)]));
  if (authType !== 'api_key') return;
  const headers = names.map((name) => apiKeyHeader(name).toLowerCase());
  const twice = headers.find((header, index) => headers.indexOf(header) !== index);
  if (twice) throw errors.invalid(`credentials: more than one would be sent as the header ${twice}`);
}

function refuse(found: [name: string, fault: string | null][]): void {
  const faults = found.flatMap(([name, fault]) =>
    fault === null ? [] : [`credentials.${name.slice(0, CREDENTIAL_NAME_MAX)}: ${fault}`],
  );
  if (faults.length > 0) throw errors.invalid(faults.join('; '));
}

function nameFault(authType: AuthType, name: string): string | null {
  if (name === '' || name.length > CREDENTIAL_NAME_MAX) return `name must have 1 to ${CREDENTIAL_NAME_MAX} characters`;
  if (authType !== 'api_key') return null;
  if (!isValidHeaderName(name)) return 'name must be a valid header name';
  const lower = name.toLowerCase();
  return HOP_BY_HOP.has(lower) || FRAMING.has(lower) ? 'this header can not carry a credential' : null;
}

function valueFault(authType: AuthType, name: string, value: string): string | null {
  if (value.length > CREDENTIAL_VALUE_MAX) return `must have at most ${CREDENTIAL_VALUE_MAX} characters`;
  if (/[\r\n\0]/.test(value)) return 'must not contain line breaks or NUL characters';
  // Basic accepts any text, as UTF-8 in base64, and either half may be empty (RFC 7617).
  if (authType === 'basic') {
    if (/\p{Cc}/u.test(value)) return 'must not contain control characters';
    return name === 'username' && value.includes(':') ? 'must not contain a colon' : null;
  }
  if (value.trim() !== value || value === '') return 'must not be empty, nor begin or end with a space';
  return isValidHeaderValue(value) ? null : 'must not contain characters that a header can not carry';
}
