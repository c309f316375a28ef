import { DEFAULT_API_KEY_HEADER } from '#contracts/headers';
import type { Service } from '#contracts';
import { REQUIRED_CREDENTIALS, type AuthType } from '#contracts/states';
import type { CredentialRow } from '../../components/service-form/credential-row.js';

/** The header that sends a credential. null if the auth type does not use the credential. */
export function sentAs(authType: AuthType, name: string): string | null {
  if (CERTIFICATE.includes(name)) return null;
  if (authType === 'api_key') return name === 'api_key' ? DEFAULT_API_KEY_HEADER : name;
  return REQUIRED_CREDENTIALS[authType].includes(name) ? 'Authorization' : null;
}

const CERTIFICATE: readonly string[] = ['client_cert', 'client_key'];

type Rotated = Pick<Service, 'authType' | 'auth' | 'oauth' | 'credentials' | 'missingCredentials'>;

/** The fields of a rotation: the stored names and the missing names of the auth type, with empty values. */
export function rotationRows({ authType, auth, oauth, credentials, missingCredentials }: Rotated): CredentialRow[] {
  const pair = auth?.clientCertificate ? CERTIFICATE : [];
  const stored = Object.keys(credentials).filter((name) => !pair.includes(name));
  if (authType === 'api_key') {
    const names = stored.length > 0 ? stored : ['api_key'];
    return [...names.map((name) => sentAs(authType, name)!), ...pair].map((name) => ({ name, value: '' }));
  }
  // The gateway gets the tokens itself.
  if (oauth) return ['client_secret', ...pair].map((name) => ({ name, value: '' }));
  const others = authType === 'custom' ? [...stored, ...missingCredentials] : [];
  return [...new Set([...REQUIRED_CREDENTIALS[authType], ...others, ...pair])].map((name) => ({ name, value: '' }));
}

/** Stored names that a replacement would remove. Header names ignore case. */
export function removedNames(authType: AuthType, stored: readonly string[], next: Record<string, string>): string[] {
  const key = (name: string) => (authType === 'api_key' ? (sentAs(authType, name) ?? name).toLowerCase() : name);
  const kept = new Set(Object.keys(next).map(key));
  return stored.filter((name) => !kept.has(key(name)));
}
