import type { Service } from '#contracts';
import { sentAs } from './credential-headers.js';
import { credentialsMessages } from './credentials-messages.js';

const text = credentialsMessages.sentIn;

/** Where the gateway sends a stored credential, in words. Empty if the service does not use it. */
export function formatPlaces(
  { authType, auth, oauth }: Pick<Service, 'authType' | 'auth' | 'oauth'>,
  name: string,
): string {
  if (auth?.clientCertificate && ['client_cert', 'client_key'].includes(name)) return text.tls;
  if (oauth && name !== 'access_token') return text.tokenUrl;
  if (auth?.aws) return text.signature;
  if (authType !== 'custom') return sentAs(authType, name) ?? '';
  const used = (templates: Record<string, string> = {}) =>
    Object.keys(templates).filter((key) => templates[key]!.includes(`{{${name}}}`));
  return [...used(auth?.headers), ...used(auth?.query).map(text.query)].join(', ');
}
