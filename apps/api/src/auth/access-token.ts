import { ACCESS_TOKEN_PREFIX } from '#contracts';

/** Whether a bearer token has the form of a personal access token. Tokens of sessions are JWTs. */
export const isAccessToken = (token: string): boolean => token.startsWith(ACCESS_TOKEN_PREFIX);
