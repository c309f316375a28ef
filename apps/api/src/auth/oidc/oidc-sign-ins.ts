import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { OAUTH_SIGN_IN_MINUTES } from '#contracts';
import { hashOfSecret, randomText } from '../../crypto/shown-once.js';
import { OpenIdProvider, type ProviderIdentity, type SignInSecrets } from './openid-provider.js';
import { SignInError } from './sign-in-error.js';

const START = `
  INSERT INTO oidc_sign_ins (state_hash, cookie_hash, return_to, session_id, expires_at)
  VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(mins => ${OAUTH_SIGN_IN_MINUTES}))`;

/** Uses up a sign-in: only one call gets it. */
const SPEND = `
  DELETE FROM oidc_sign_ins WHERE state_hash = $1 AND cookie_hash = $2 AND expires_at > clock_timestamp()
  RETURNING return_to AS "returnTo", session_id AS "sessionId"`;

export interface OidcSignInStart {
  url: string;
  cookie: { name: string; value: string };
}

/** A sign-in whose answer has arrived. */
export interface Spent {
  /** A path below `/dashboard`. */
  returnTo: string;
  /** The session that links the provider to its account; null: somebody signs in. */
  sessionId: string | null;
  /** @throws SignInError */
  identity: () => Promise<ProviderIdentity>;
}

/**
 * Sign-ins that are under way at the provider. The cookie binds the answer to the browser that asked. Nonce and code
 * verifier are derived from the cookie, so they are stored nowhere here.
 */
@Injectable()
export class OidcSignIns {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly provider: OpenIdProvider,
  ) {}

  /** @throws SignInError `provider_unavailable` */
  async start(returnTo: string, sessionId: string | null): Promise<OidcSignInStart> {
    const [state, secret] = [randomText(), randomText()];
    const url = await this.provider.signInUrl(deriveSecrets(state, secret));
    await this.source.query('DELETE FROM oidc_sign_ins WHERE expires_at <= clock_timestamp()');
    await this.source.query(START, [hashOfSecret(state), hashOfSecret(secret), returnTo, sessionId]);
    return { url, cookie: { name: cookieName(state), value: secret } };
  }

  /**
   * @param cookie finds a cookie of the browser by its name
   * @throws SignInError `sign_in_expired` if this browser did not begin this sign-in, or if the sign-in has ended. The
   * provider is not asked then
   */
  async spend(search: string, cookie: (name: string) => string | undefined): Promise<Spent> {
    const state = new URLSearchParams(search).get('state') ?? '';
    const secret = cookie(cookieName(state)) ?? '';
    const [rows]: [Omit<Spent, 'identity'>[], number] = await this.source.query(SPEND, [
      hashOfSecret(state),
      hashOfSecret(secret),
    ]);
    const spent = rows.at(0);
    if (spent === undefined) throw new SignInError('sign_in_expired');
    return { ...spent, identity: () => this.provider.exchangeCode(search, deriveSecrets(state, secret)) };
  }
}

/** A person may sign in in several tabs. */
const cookieName = (state: string): string => `agw_oidc_${hashOfSecret(state).slice(0, 16)}`;
const deriveSecrets = (state: string, secret: string): SignInSecrets => ({
  state,
  nonce: hash('sha256', `nonce ${secret}`, 'base64url'),
  verifier: hash('sha256', `pkce ${secret}`, 'base64url'),
});
