import { Injectable } from '@nestjs/common';
import * as openid from 'openid-client';
import { isEmail, maxLength } from 'class-validator';
import { EMAIL_MAX, USER_NAME_MAX } from '#contracts/limits';
import { hasTurningLetters, type Role } from '#contracts';
import { Clock } from '../../platform/clock.js';
import { groupsIn, highestRole } from './groups.js';
import { SignInError, type SignInFault } from './sign-in-error.js';
import { oneLine } from '../../platform/plain-text.js';
import { AuthConfig, HttpConfig, type OidcSettings } from '../../platform/config.js';

const TIMEOUT_SECONDS = 10;
/** The provider's endpoints and keys are read again after this time. */
const METADATA_MS = 60 * 60 * 1000;
/** Longer values are not identifiers (OpenID Connect Core 1.0, section 2: `sub` has at most 255 characters). */
const IDENTIFIER_MAX = 255;
const UNSTORABLE = /[\0\p{Cs}]/u;

/** The identity of a person, as the provider states it. */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
  /** Verified by the provider. */
  email: string;
  name: string | null;
  /** The highest role of the person's groups; null: no group has one; undefined: the operator maps no groups. */
  role: Role | null | undefined;
}

/** Secrets that bind the answer of the provider to the browser that asked. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/**
 * The operator's OpenID provider (OpenID Connect Core 1.0): code flow with PKCE, state and nonce. The operator names
 * the issuer, so its requests do not pass the egress guard.
 */
@Injectable()
export class OpenIdProvider {
  private known: { configuration: Promise<openid.Configuration>; untilMs: number } | null = null;

  constructor(
    private readonly auth: AuthConfig,
    private readonly http: HttpConfig,
    private readonly clock: Clock,
  ) {}

  get settings(): OidcSettings | null {
    return this.auth.oidc;
  }

  /** Where the browser goes to sign in. @throws SignInError `provider_unavailable` */
  async signInUrl({ state, nonce, verifier }: SignInSecrets): Promise<string> {
    const configuration = await this.configuration();
    return openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri(),
      scope: this.auth.oidc!.scopes,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /**
   * Exchanges the code of the provider's answer, and checks the ID token: signature, issuer, audience, times and nonce.
   * @param search of the URL that the provider sent the browser to @throws SignInError
   */
  async exchangeCode(search: string, { state, nonce, verifier }: SignInSecrets): Promise<ProviderIdentity> {
    const configuration = await this.configuration();
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, new URL(this.redirectUri() + search), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const more: Partial<openid.UserInfoResponse> = configuration.serverMetadata().userinfo_endpoint
        ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
      // The flag in the user info says only whether the e-mail in the user info is verified.
      if (claims.email !== undefined && more.email !== undefined && claims.email !== more.email)
        throw new SignInError('email_unverified');
      return this.read({ ...more, ...claims });
    } catch (error) {
      throw error instanceof SignInError ? error : new SignInError(toSignInFault(error), { cause: loggable(error) });
    }
  }

  private read(claims: openid.IDToken & Record<string, unknown>): ProviderIdentity {
    const { iss, sub, email, email_verified: verified, name } = claims;
    if (sub.length > IDENTIFIER_MAX || UNSTORABLE.test(sub)) throw new SignInError('sign_in_failed');
    // Some providers send the flag as text.
    if (verified !== true && verified !== 'true') throw new SignInError('email_unverified');
    if (typeof email !== 'string' || !isEmail(email) || !maxLength(email, EMAIL_MAX) || hasTurningLetters(email))
      throw new SignInError('email_unverified');
    const domains = this.auth.oidc!.allowedDomains;
    if (domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase()))
      throw new SignInError('domain_not_allowed');
    // Providers let people write what they like there.
    const display = typeof name === 'string' ? oneLine(name, USER_NAME_MAX) : '';
    return { issuer: iss, subject: sub, email, name: display === '' ? null : display, role: this.roleIn(claims) };
  }

  private roleIn(claims: Record<string, unknown>): Role | null | undefined {
    const { roles } = this.auth.oidc!;
    return roles === null ? undefined : highestRole(groupsIn(claims, roles.claim), roles.map);
  }

  private configuration(): Promise<openid.Configuration> {
    const nowMs = this.clock.nowMs();
    if (this.known === null || this.known.untilMs <= nowMs) {
      const configuration = this.discover();
      this.known = { configuration, untilMs: nowMs + METADATA_MS };
      configuration.catch(() => (this.known = null));
    }
    return this.known.configuration;
  }

  private async discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.auth.oidc!;
    const [basic, post] = [openid.ClientSecretBasic(clientSecret), openid.ClientSecretPost(clientSecret)];
    const execute = [openid.enableNonRepudiationChecks];
    if (issuer.startsWith('http:')) execute.push(openid.allowInsecureRequests);
    try {
      return await openid.discovery(
        new URL(issuer),
        clientId,
        { id_token_signed_response_alg: undefined },
        (server, ...request) =>
          // Without the list, Basic is the default (OpenID Connect Discovery 1.0, section 3).
          (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true)
            ? basic(server, ...request)
            : post(server, ...request),
        { execute, timeout: TIMEOUT_SECONDS },
      );
    } catch (error) {
      throw new SignInError(discoveryFault(error), { cause: loggable(error) });
    }
  }

  private redirectUri(): string {
    return `${this.http.publicUrl}/auth/oidc/callback`;
  }
}

/** An issuer that the library found to be another one. */
interface OtherIssuer {
  /** Where it stands: a member of the provider's metadata, a claim of the ID token, or a parameter of its answer. */
  name: 'issuer' | 'iss';
  got: unknown;
  expected: unknown;
}

/**
 * After a failed comparison, the library keeps both values in the cause of the error, or in the cause of that cause.
 */
function otherIssuer(error: unknown): OtherIssuer | null {
  for (let each = readCause(error), depth = 0; isObjectOrArray(each) && depth < 3; each = readCause(each), depth++) {
    const { expected, attribute, claim, body, claims, parameters } = each;
    if (attribute === 'issuer' && isObjectOrArray(body)) return { name: attribute, got: body.issuer, expected };
    if (claim === 'iss' && isObjectOrArray(claims)) return { name: claim, got: claims.iss, expected };
    // The library also compares `state` among these parameters. That can't fail, because the sign-in was found by its
    // state.
    if (expected !== undefined && parameters instanceof URLSearchParams)
      return { name: 'iss', got: parameters.get('iss'), expected };
  }
  return null;
}

const readCause = (error: unknown): unknown => (error as { cause?: unknown }).cause;
const isObjectOrArray = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The log shows no values of a cause. Only issuers are shown, because other values may be secrets of this sign-in. */
function loggable(error: unknown): unknown {
  const other = otherIssuer(error);
  if (other === null) return error;
  const { name, got, expected } = other;
  const text = `${(error as Error).message}: ${name} is ${short(got)}, expected ${short(expected)}`;
  return new Error(text, { cause: error });
}

const short = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 500);

/** Node's codes for certificates that it does not trust, and for servers that don't speak TLS. */
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|EPROTO)/;

/** `fetch` wraps the error of the socket. */
function isTlsFailure(error: unknown): boolean {
  for (let each = error as { code?: unknown; cause?: unknown } | undefined, depth = 0; each && depth < 5; depth++) {
    if (typeof each.code === 'string' && TLS_CODE.test(each.code)) return true;
    each = each.cause as typeof each;
  }
  return false;
}

function discoveryFault(error: unknown): SignInFault {
  if (otherIssuer(error) !== null) return 'issuer_mismatch';
  return isTlsFailure(error) ? 'provider_certificate' : 'provider_unavailable';
}

function toSignInFault(error: unknown): SignInFault {
  if (error instanceof openid.AuthorizationResponseError) {
    if (error.error === 'access_denied') return 'cancelled';
    return isAboutRedirect(error) ? 'redirect_uri_refused' : 'sign_in_failed';
  }
  if (otherIssuer(error) !== null) return 'issuer_mismatch';
  if (isTlsFailure(error)) return 'provider_certificate';
  if (error instanceof openid.ResponseBodyError && isAboutRedirect(error)) return 'redirect_uri_refused';
  // `fetch` throws a TypeError if there is no answer, and the library a ClientError with this code after the time
  // limit.
  const { code, cause } = error as openid.ClientError;
  if (code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && cause !== undefined)) return 'provider_unavailable';
  const status =
    error instanceof openid.ResponseBodyError ? error.status : cause instanceof Response ? cause.status : 0;
  if (status >= 500) return 'provider_unavailable';
  return 'sign_in_failed';
}

/** Sentences that list every possible reason name the redirect URI too. */
function isAboutRedirect({
  error,
  error_description: sentence = '',
}: openid.ResponseBodyError | openid.AuthorizationResponseError): boolean {
  return /redirect[ _-]?ur[il]/i.test(`${error} ${sentence}`) && !/expired|revoked/i.test(sentence);
}
