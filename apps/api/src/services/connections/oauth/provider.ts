import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import type { OAuthSettings } from '#contracts';
import { EgressClient, EgressFailure } from '#egress';
import { guardTarget } from '../../../egress/egress-errors.js';
import type { ServiceOwner } from '../../../egress/private-targets.js';
import { EgressConfig } from '../../../platform/config.js';
import { ApiError } from '../../../platform/errors.js';

/** A token endpoint answers quickly and briefly. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };

/** Ten years. */
const LIFETIME_MAX_SECONDS = 10 * 365 * 24 * 3600;
/** More than any provider grants to one client. */
const SCOPES_KEPT = 200;

/** The tokens that a provider gave. Lifetimes are in seconds. */
export interface TokenSet {
  accessToken: string;
  /** Null: none came, so the older one stays valid. */
  refreshToken: string | null;
  expiresIn: number | null;
  refreshExpiresIn: number | null;
  /** Null: the scopes that were requested. */
  scopes: string[] | null;
}

/** The provider gave no token. */
export class ProviderFailure extends Error {
  constructor(
    /**
     * `rejected`: the stored token is no longer valid, so only a person can help. `failed`: a later attempt may work.
     */
    readonly kind: 'rejected' | 'failed',
    /** For people; never a secret. */
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  /** The error code of the provider's answer. Null: there is none. */
  get code(): string | null {
    return this.cause instanceof oauth.ResponseBodyError ? this.cause.error : null;
  }
}

/** A client of one provider. */
export interface OAuthClient {
  settings: OAuthSettings;
  /** Undefined: a public client. */
  secret: string | undefined;
  owner: ServiceOwner;
}

/**
 * The requests of OAuth 2 to a token endpoint. Each passes the egress guard, like every other request to an upstream.
 */
@Injectable()
export class OAuthProvider {
  constructor(
    private readonly egress: EgressClient,
    private readonly config: EgressConfig,
  ) {}

  /** @param answer the parameters that the provider sent the browser back with @throws ProviderFailure */
  exchange(
    client: OAuthClient,
    answer: URLSearchParams,
    state: string,
    redirectUri: string,
    verifier: string,
  ): Promise<TokenSet> {
    return this.tokens(client, async (as, self, authentication, options) => {
      const server = { ...as, issuer: issuerOf(client.settings, answer) };
      const parameters = oauth.validateAuthResponse(server, self, answer, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        self,
        authentication,
        parameters,
        redirectUri,
        verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(server, self, response, { recognizedTokenTypes: ANY_TYPE });
    });
  }

  /** @throws ProviderFailure */
  refresh(client: OAuthClient, refreshToken: string): Promise<TokenSet> {
    return this.tokens(client, async (as, self, authentication, options) => {
      const response = await oauth.refreshTokenGrantRequest(as, self, authentication, refreshToken, options);
      return oauth.processRefreshTokenResponse(as, self, response, { recognizedTokenTypes: ANY_TYPE });
    });
  }

  /** @throws ProviderFailure */
  clientCredentials(client: OAuthClient): Promise<TokenSet> {
    const { scopes, extraParams } = client.settings;
    const parameters = { ...extraParams, ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) };
    return this.tokens(client, async (as, self, authentication, options) => {
      const response = await oauth.clientCredentialsGrantRequest(as, self, authentication, parameters, options);
      return oauth.processClientCredentialsResponse(as, self, response, { recognizedTokenTypes: ANY_TYPE });
    });
  }

  private async tokens(client: OAuthClient, request: TokenRequest): Promise<TokenSet> {
    const { clientId: client_id, tokenUrl, tokenAuth } = client.settings;
    const as = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
    const confidential = tokenAuth === 'basic' ? oauth.ClientSecretBasic : oauth.ClientSecretPost;
    const authentication = client.secret === undefined ? oauth.None() : confidential(client.secret);
    const options = {
      // The egress guard decides about http: an allow-listed provider in the operator's own network may use it.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) =>
        this.send(client.owner, url, init),
    };
    try {
      return toTokenSet(await request(as, { client_id }, authentication, options));
    } catch (error) {
      throw toFailure(error);
    }
  }

  private async send(
    owner: ServiceOwner,
    target: string,
    { headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
  ): Promise<Response> {
    const url = guardTarget(target, { baseUrl: target, owner }, this.config);
    const answer = await this.egress.send({
      url,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(body.toString()),
      limits: LIMITS,
    });
    return readable(answer.status, answer.body);
  }
}

type TokenRequest = (
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  authentication: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions,
) => Promise<oauth.TokenEndpointResponse>;

/** Some providers have names of their own for bearer tokens, such as `bot`. */
const ANY_TYPE = new Proxy<oauth.RecognizedTokenTypes>({}, { get: () => () => undefined });

/**
 * If a provider names itself in its answer, it must be the provider that the person was sent to (RFC 9207). Its
 * metadata is not known, so the origin is compared.
 * @throws ProviderFailure
 */
function issuerOf({ authorizationUrl, tokenUrl }: OAuthSettings, answer: URLSearchParams): string {
  const issuer = answer.get('iss');
  const origins = [authorizationUrl ?? tokenUrl, tokenUrl].map((url) => new URL(url).origin);
  if (issuer === null) return origins[1];
  if (URL.canParse(issuer) && origins.includes(new URL(issuer).origin)) return issuer;
  throw new ProviderFailure('failed', 'The answer came from another provider');
}

/**
 * Converts the answer of a token endpoint to the form of RFC 6749.
 * @throws ProviderFailure
 */
function readable(status: number, body: Buffer): Response {
  if (status >= 300 && status < 400) {
    throw new ProviderFailure('failed', `The token endpoint answered with a redirect (${status}): correct tokenUrl`);
  }
  const json = parsed(body);
  if (json === null) {
    throw new ProviderFailure('failed', `The token endpoint answered ${status} without a JSON object`);
  }
  // The gateway has no use for the identity of the person, and can't check the token without the provider's metadata.
  delete json.id_token;
  if (Array.isArray(json.scope)) json.scope = json.scope.join(' ');
  // Some providers report errors with 200.
  const refused = status === 200 && typeof json.error === 'string' && json.access_token === undefined;
  return new Response(JSON.stringify(json), {
    status: refused ? 400 : status === 201 ? 200 : status,
    headers: { 'content-type': 'application/json' },
  });
}

function parsed(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function toTokenSet(response: oauth.TokenEndpointResponse): TokenSet {
  const { access_token, refresh_token, expires_in, scope } = response;
  if (!/^[\x21-\x7e]{1,16384}$/.test(access_token)) {
    throw new ProviderFailure('failed', 'The token endpoint sent an access token that no header can carry');
  }
  return {
    accessToken: access_token,
    refreshToken: refresh_token || null,
    expiresIn: lifetime(expires_in),
    refreshExpiresIn: lifetime(response.refresh_token_expires_in ?? response.refresh_expires_in),
    scopes: scope === undefined ? null : scope.split(/[ ,]+/).filter(isScope).slice(0, SCOPES_KEPT),
  };
}

/**
 * Null: the provider does not say. Limits the value so that the database can store it, because a token that is not
 * stored is lost.
 */
function lifetime(seconds: unknown): number | null {
  const given = Number(seconds ?? NaN);
  return given > 0 ? Math.min(given, LIFETIME_MAX_SECONDS) : null;
}

/** The characters of RFC 6749, section 3.3. */
const isScope = (name: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]{1,1000}$/.test(name);

function toFailure(error: unknown): Error {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof oauth.ResponseBodyError) {
    const code = clean(error.error);
    // Other errors are about the client or the request. The stored tokens may still be valid.
    const kind = error.error === 'invalid_grant' ? 'rejected' : 'failed';
    return new ProviderFailure(kind, `The provider answered ${error.status} ${code}`, error);
  }
  if (error instanceof oauth.AuthorizationResponseError) {
    return new ProviderFailure('rejected', `The provider answered ${clean(error.error)}`, error);
  }
  if (error instanceof EgressFailure) return new ProviderFailure('failed', `Token endpoint: ${error.reason}`, error);
  if (error instanceof ApiError) return new ProviderFailure('failed', `Token endpoint: ${error.message}`, error);
  return new ProviderFailure('failed', 'The token endpoint sent no usable answer', error);
}

/**
 * Error codes have a narrow set of characters (RFC 6749, section 5.2). Other characters from a provider are not shown.
 */
const clean = (code: string): string => (/^[\w.-]{1,64}$/.test(code) ? code : 'an error');
