import { DEFAULT_API_KEY_HEADER } from '#contracts/headers';
import type { Service } from '#contracts';
import { REQUIRED_CREDENTIALS, type AuthType } from '#contracts/states';
import type { CredentialRow } from '../../components/service-form/credential-inputs.js';

/** The header that sends a credential. null if the auth type does not use the credential. */
export function sentAs(authType: AuthType, name: string): string | null {
  if (authType === 'api_key') return name === 'api_key' ? DEFAULT_API_KEY_HEADER : name;
  return REQUIRED_CREDENTIALS[authType].includes(name) ? 'Authorization' : null;
}

type Rotated = Pick<Service, 'authType' | 'oauth' | 'credentials' | 'missingCredentials'>;

/** The fields of a rotation: the stored names and the missing names of the auth type, with empty values. */
export function rotationRows({ authType, oauth, credentials, missingCredentials }: Rotated): CredentialRow[] {
  const stored = Object.keys(credentials);
  if (authType === 'api_key') {
    const names = stored.length > 0 ? stored : ['api_key'];
    return names.map((name) => ({ name: sentAs(authType, name)!, value: '' }));
  }
  // The gateway gets the tokens itself.
  if (oauth) return [{ name: 'client_secret', value: '' }];
  const others = authType === 'custom' ? [...stored, ...missingCredentials] : [];
  return [...new Set([...REQUIRED_CREDENTIALS[authType], ...others])].map((name) => ({ name, value: '' }));
}

/** Stored names that a replacement would remove. Header names ignore case. */
export function removedNames(authType: AuthType, stored: readonly string[], next: Record<string, string>): string[] {
  const key = (name: string) => (authType === 'api_key' ? sentAs(authType, name)!.toLowerCase() : name);
  const kept = new Set(Object.keys(next).map(key));
  return stored.filter((name) => !kept.has(key(name)));
}
