import type { AuthType } from '#contracts/states';

/** Prefixes of copied header values. The gateway adds them itself, or the API expects the key without them. */
const PREFIX = /^(?:bearer|token|basic)\s+(?=\S)/i;

/** The prefix of a value that is probably not part of the credential, such as `Bearer `. Empty if there is none. */
export function doubtfulPrefix(authType: AuthType, header: string, value: string): string {
  // A basic password can be any text. In an Authorization header, the scheme is part of the value.
  if (authType === 'basic' || (authType === 'api_key' && /authorization$/i.test(header.trim()))) return '';
  return PREFIX.exec(value)?.[0] ?? '';
}
