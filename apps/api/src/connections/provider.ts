import { Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import type { OAuthSettings } from '#contracts';
import { EgressClient, EgressFailure, parseUrl } from '#egress';
import { guardTarget } from '../egress/egress-errors.js';
import type { ServiceOwner } from '../egress/private-targets.js';
import { EgressConfig } from '../platform/config.js';
import { ApiError } from '../platform/errors.js';
import { clientAuthentications } from './client-authentication.js';
import { ProviderFailure } from './provider-failure.js';
import { readTokenAnswer, redirectHint, type TokenSet } from './token-answer.js';
import { shownCode, readError } from './token-error.js';

/** A token endpoint answers briefly. */
const ANSWER_MAX_BYTES = 1024 * 1024;

/** `Response` takes no body with these. */
const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

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

  /**
   * @param answer the parameters that the provider sent the browser back with @param verifier null: without PKCE
   * @throws ProviderFailure
   */
  exchange(
    client: OAuthClient,
    answer: URLSearchParams,
    state: string,
    redirectUri: string,
    verifier: string | null,
  ): Promise<TokenSet> {
    const request: TokenRequest = (as, self, authentication, options) => {
      const server = { ...as, issuer: readIssuer(client.settings, answer) };
      const parameters = oauth.validateAuthResponse(server, self, answer, state);
      const proof = verifier ?? oauth.nopkce;
      return oauth.authorizationCodeGrantRequest(server, self, authentication, parameters, redirectUri, proof, options);
    };
    return this.tokens(client, request, redirectUri);
  }

  /** @throws ProviderFailure */
  refresh(client: OAuthClient, refreshToken: string): Promise<TokenSet> {
    return this.tokens(client, (as, self, authentication, options) =>
      oauth.refreshTokenGrantRequest(as, self, authentication, refreshToken, options),
    );
  }

  /** @throws ProviderFailure */
  clientCredentials(client: OAuthClient): Promise<TokenSet> {
    const { scopes, extraParams } = client.settings;
    const parameters = { ...extraParams, ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) };
    return this.tokens(client, (as, self, authentication, options) =>
      oauth.clientCredentialsGrantRequest(as, self, authentication, parameters, options),
    );
  }

  /** A provider that refuses the client has not looked at the grant, so the grant can be sent again. */
  private async tokens(client: OAuthClient, request: TokenRequest, redirectUri?: string): Promise<TokenSet> {
    const [first, second] = clientAuthentications(client.settings, client.secret);
    try {
      return await this.attempt(client, request, first, redirectUri);
    } catch (error) {
      if (second === undefined || !(error instanceof ProviderFailure) || !error.isClientRefused) throw error;
      return this.attempt(client, request, second, redirectUri);
    }
  }

  private async attempt(
    client: OAuthClient,
    request: TokenRequest,
    authentication: oauth.ClientAuth,
    redirectUri: string | undefined,
  ): Promise<TokenSet> {
    const { clientId: client_id, tokenUrl } = client.settings;
    const as = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
    const options = {
      // The egress guard decides about http: an allow-listed provider in the operator's own network may use it.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) =>
        this.send(client.owner, url, init),
    };
    try {
      const answer = await request(as, { client_id }, authentication, options);
      return readTokenAnswer(answer.status, new Uint8Array(await answer.arrayBuffer()), redirectUri);
    } catch (error) {
      throw toFailure(error, redirectUri);
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
      limits: { timeoutMs: this.config.timeouts.tokenEndpointMs, maxBytes: ANSWER_MAX_BYTES },
    });
    return new Response(HAS_NO_BODY.has(answer.status) ? null : answer.body, { status: answer.status });
  }
}

type TokenRequest = (
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  authentication: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions,
) => Promise<Response>;

/**
 * If a provider names itself in its answer, it must be the provider that the person was sent to (RFC 9207). Its
 * metadata is not known, so the origin is compared.
 * @throws ProviderFailure
 */
function readIssuer({ authorizationUrl, tokenUrl }: OAuthSettings, answer: URLSearchParams): string {
  const issuer = answer.get('iss');
  const origins = [authorizationUrl ?? tokenUrl, tokenUrl].map((url) => new URL(url).origin);
  if (issuer === null) return origins[1];
  const origin = parseUrl(issuer)?.origin ?? null;
  if (origin !== null && origins.includes(origin)) return issuer;
  const expected = [...new Set(origins)].join(' or ');
  throw new ProviderFailure(
    'failed',
    `The answer came from another provider: it names ${/^https?:/.test(origin ?? '') ? origin : 'no URL'}, and the service has ${expected}`,
    { cause: new Error(`iss is ${JSON.stringify(issuer.slice(0, 500))}, expected ${expected}`) },
  );
}

function toFailure(error: unknown, redirectUri: string | undefined): Error {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof oauth.AuthorizationResponseError) return signInFailure(error, redirectUri);
  if (error instanceof EgressFailure) {
    return new ProviderFailure('failed', `Token endpoint: ${error.reason}`, { cause: error });
  }
  if (error instanceof ApiError) {
    return new ProviderFailure('failed', `Token endpoint: ${error.message}`, { cause: error });
  }
  return new ProviderFailure('failed', 'The token endpoint sent no usable answer', { cause: error });
}

/** The provider sent the browser back with an error. */
function signInFailure(cause: oauth.AuthorizationResponseError, redirectUri = ''): ProviderFailure {
  const { error, error_description } = cause;
  const { isAboutRedirect } = readError({ error, error_description });
  if (!isAboutRedirect) return new ProviderFailure('rejected', `The provider answered ${shownCode(error)}`, { cause });
  return new ProviderFailure('failed', `The provider answered ${shownCode(error)}${redirectHint(redirectUri)}`, {
    cause,
  });
}
