import type { AuthType, OAuthSettings } from '#contracts';
import { parseUrl } from '#egress';
import { errors } from '../platform/errors.js';

/** Parameters that the gateway sets itself. */
const RESERVED = new Set([
  'response_type',
  'client_id',
  'client_secret',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'grant_type',
  'code',
  'code_verifier',
  'refresh_token',
]);

/**
 * Checks the OAuth settings.
 * @throws ApiError 400 that names each fault
 */
export function assertOAuth(authType: AuthType, oauth: OAuthSettings | null): void {
  if (oauth === null) return;
  if (authType !== 'oauth2') throw errors.invalid(`oauth: must be null, because authType is ${authType}`);
  const { grant, authorizationUrl, tokenUrl, extraParams = {} } = oauth;
  const faults: string[] = [];
  const needsBrowser = grant === 'authorization_code';
  if (needsBrowser && authorizationUrl === undefined) {
    faults.push('oauth.authorizationUrl: is required for authorization_code');
  }
  for (const [name, url] of Object.entries({ authorizationUrl, tokenUrl })) {
    if (url !== undefined && !isEndpoint(url)) {
      faults.push(`oauth.${name}: must be an http or https URL without user information and fragment`);
    }
  }
  for (const name of Object.keys(extraParams)) {
    if (RESERVED.has(name)) faults.push(`oauth.extraParams.${name}: is set by the gateway`);
  }
  if (faults.length > 0) throw errors.invalid(faults.join('; '));
}

function isEndpoint(text: string): boolean {
  const url = /[\s\\\p{Cc}#]/u.test(text) ? null : parseUrl(text);
  if (url === null) return false;
  const { protocol, username, password } = url;
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/^https?:\/\/[^/]*@/i.test(text);
}

/** Whether the tokens of one client are useless for the other. */
export const isOtherClient = (one: OAuthSettings | null, other: OAuthSettings | null): boolean =>
  one?.grant !== other?.grant || one?.tokenUrl !== other?.tokenUrl || one?.clientId !== other?.clientId;
