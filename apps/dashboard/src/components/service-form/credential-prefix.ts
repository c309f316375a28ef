import type { AuthType } from '#contracts/states';

/** What copied header values begin with. The gateway puts it before a token itself, or the API wants the key alone. */
const PREFIX = /^(?:bearer|token|basic)\s+(?=\S)/i;

/** What a value begins with that is likely no part of it, such as `Bearer `; empty where there is nothing of the kind. */
export function doubtfulPrefix(authType: AuthType, header: string, value: string): string {
  // Basic takes any password; in Authorization a scheme belongs to the value.
  if (authType === 'basic' || (authType === 'api_key' && /authorization$/i.test(header.trim()))) return '';
  return PREFIX.exec(value)?.[0] ?? '';
}
