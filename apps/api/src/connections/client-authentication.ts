import * as oauth from 'oauth4webapi';
import type { OAuthSettings } from '#contracts';

/**
 * The ways in which the client can authenticate at the token endpoint, in the order to try them. For Basic, RFC 6749
 * (section 2.3.1) requires that both halves are encoded. But many providers compare the halves without decoding them.
 * So only the characters that need it are encoded: `-`, `_` and `.` stay, and a blank becomes `%20`, which all decoders
 * know. If the encoded form differs from the plain one, the plain form is the second way.
 * @param secret undefined: a public client
 */
export function clientAuthentications(
  { clientId, tokenAuth }: OAuthSettings,
  secret: string | undefined,
): oauth.ClientAuth[] {
  if (secret === undefined) return [oauth.None()];
  if (tokenAuth === 'post') return [oauth.ClientSecretPost(secret)];
  const plain = `${clientId}:${secret}`;
  const encoded = `${formEncoded(clientId)}:${formEncoded(secret)}`;
  // With a colon in the id, the plain form would name another client.
  return encoded === plain || clientId.includes(':') ? [basicPair(encoded)] : [basicPair(encoded), basicPair(plain)];
}

const basicPair =
  (pair: string): oauth.ClientAuth =>
  (_server, _client, _body, headers) =>
    headers.set('authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);

/** Stored texts can hold a half of a surrogate pair, which `encodeURIComponent` does not take. */
const formEncoded = (text: string): string => encodeURIComponent(text.toWellFormed());
