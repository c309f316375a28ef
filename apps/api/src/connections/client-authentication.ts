import * as oauth from 'oauth4webapi';
import type { OAuthSettings } from '#contracts';

/**
 * The ways in which the client can authenticate at the token endpoint, in the order to try them. In Basic, RFC 6749
 * (section 2.3.1) wants both halves encoded, but many providers compare them as they come. So only what must be encoded
 * is: neither `-`, `_` nor `.`, and a blank as `%20`, which all decoders know. Where that changes something, the plain
 * form is the second way.
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
  return encoded === plain || clientId.includes(':') ? [basic(encoded)] : [basic(encoded), basic(plain)];
}

const basic =
  (pair: string): oauth.ClientAuth =>
  (_server, _client, _body, headers) =>
    headers.set('authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);

/** Stored texts can hold a half of a surrogate pair, which `encodeURIComponent` does not take. */
const formEncoded = (text: string): string => encodeURIComponent(text.toWellFormed());
