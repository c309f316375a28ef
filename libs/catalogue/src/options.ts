/** Ways to authenticate that many APIs share. */
import type { CatalogueAuth } from './schema.js';

type OAuth = NonNullable<CatalogueAuth['oauth']>;

/** `Authorization: Bearer <token>`. */
export const bearer = (title: string, createAt: string, hint?: string): CatalogueAuth => ({
  title,
  authType: 'bearer',
  credentials: [{ name: 'token', label: 'Token', ...(hint !== undefined && { hint }) }],
  createAt,
});

/** A key in a header of the API's own. */
export const keyHeader = (header: string, title: string, createAt: string, hint?: string): CatalogueAuth => ({
  title,
  authType: 'api_key',
  credentials: [{ name: header, label: title, ...(hint !== undefined && { hint }) }],
  createAt,
});

/** `Authorization: <scheme> <token>`, or the token alone for an empty scheme. */
export const scheme = (prefix: string, title: string, createAt: string, hint?: string): CatalogueAuth => ({
  title,
  authType: 'custom',
  auth: { headers: { Authorization: `${prefix}{{token}}` } },
  credentials: [{ name: 'token', label: 'Token', ...(hint !== undefined && { hint }) }],
  createAt,
});

type Half = string | { label: string; hint?: string; value?: string };

/** HTTP Basic. Many APIs take a key as one half and a fixed text, or nothing, as the other. */
export const basic = (title: string, createAt: string, username: Half, password: Half): CatalogueAuth => ({
  title,
  authType: 'basic',
  credentials: [
    { name: 'username', ...(typeof username === 'string' ? { label: username } : username) },
    { name: 'password', ...(typeof password === 'string' ? { label: password } : password) },
  ],
  createAt,
});

/** OAuth 2 with the Connect button. */
export const connect = (
  createAt: string,
  authorizationUrl: string,
  tokenUrl: string,
  scopes: string[],
  more: Partial<Pick<OAuth, 'tokenAuth' | 'extraParams'>> = {},
): CatalogueAuth => ({
  title: 'Connect with OAuth',
  authType: 'oauth2',
  oauth: { grant: 'authorization_code', authorizationUrl, tokenUrl, scopes, tokenAuth: 'post', ...more },
  credentials: [{ name: 'client_secret', label: 'Client secret' }],
  createAt,
});

/** OAuth 2 for a client without a person. */
export const clientCredentials = (
  createAt: string,
  tokenUrl: string,
  scopes: string[],
  more: Partial<Pick<OAuth, 'tokenAuth' | 'extraParams'>> = {},
): CatalogueAuth => ({
  title: 'Client credentials',
  authType: 'oauth2',
  oauth: { grant: 'client_credentials', tokenUrl, scopes, tokenAuth: 'basic', ...more },
  credentials: [{ name: 'client_secret', label: 'Client secret' }],
  createAt,
});
