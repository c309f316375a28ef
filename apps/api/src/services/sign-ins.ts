import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CREDENTIAL_GRACE_HOURS, isAtLeast, OAUTH_SIGN_IN_MINUTES, type OAuthSettings } from '#contracts';
import { ConnectionEntity, inTransaction } from '#database';
import { AuditLog, type ChangeActor } from '../audit/audit-log.js';
import { hashOfSecret, randomText } from '../crypto/shown-once.js';
import { guardTarget } from '../egress/egress-errors.js';
import type { ServiceOwner } from '../egress/private-targets.js';
import { Clock } from '../platform/clock.js';
import { EgressConfig, HttpConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import { Memberships } from '../membership/memberships.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { assertConfirmed } from '../credentials/credential-origins.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import { PreviousCredentials } from '../connections/previous-credentials.js';
import { toServiceView, type ServiceView, type ServiceViewJson } from '../service-view/service-view.js';
import { SERVICE_VIEW_SQL } from './service-view-sql.js';
import { ConnectionStore } from '../connections/connection-store.js';
import { ProviderFailure } from '../connections/provider-failure.js';
import { OAuthProvider } from '../connections/provider.js';
import type { TokenSet } from '../connections/token-answer.js';

const HOUR_MS = 3_600_000;

const START = `
  INSERT INTO oauth_sign_ins (state_hash, cookie_hash, service_id, user_id, oauth, expires_at)
  SELECT $1, $2, s.id, $4, s.oauth, clock_timestamp() + make_interval(mins => ${OAUTH_SIGN_IN_MINUTES})
  FROM services s WHERE s.id = $3 AND s.base_url = $5`;

/** Uses up a sign-in: only one call gets it. A change of the base URL ends it, so the base URL is still the same. */
const SPEND = `
  DELETE FROM oauth_sign_ins i USING services s
  WHERE i.state_hash = $1 AND i.cookie_hash = $2 AND i.expires_at > clock_timestamp() AND s.id = i.service_id
  RETURNING i.service_id AS "serviceId", i.user_id AS "userId", i.oauth, s.base_url AS "baseUrl"`;

/**
 * The service as it was when the person left for the provider. Another client must not get the code, and another host
 * must not get the token.
 */
const UNCHANGED = `
  SELECT ${SERVICE_VIEW_SQL} AS view, u.name AS "userName" FROM services s JOIN users u ON u.id = $2
  WHERE s.id = $1 AND s.oauth = $3::jsonb AND s.base_url = $4`;

interface SignIn {
  serviceId: number;
  userId: number;
  oauth: OAuthSettings;
  baseUrl: string;
}

/** A sign-in that has begun: the URL that the browser opens, and the cookie that it must return. */
export interface ServiceSignInStart {
  url: string;
  cookie: { name: string; value: string };
}

/** `denied`: the person or the provider refused. `failed`: the gateway could not get a token. */
export interface Finished {
  serviceId: number;
  outcome: 'connected' | 'denied' | 'failed';
}

/**
 * Connects services by a person's sign-in at the provider: authorization code with PKCE (RFC 6749, 7636). The browser's
 * cookie binds the answer to the browser that asked. The code verifier is derived from the cookie, so it is stored
 * nowhere here.
 */
@Injectable()
export class SignIns {
  constructor(
    private readonly source: DataSource,
    private readonly provider: OAuthProvider,
    private readonly store: ConnectionStore,
    private readonly vault: CredentialVault,
    private readonly previous: PreviousCredentials,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly memberships: Memberships,
    private readonly egress: EgressConfig,
    private readonly http: HttpConfig,
    private readonly log: Log,
  ) {}

  /** @param service of the author @throws ApiError 400, 403, 502 */
  async start(author: ChangeAuthor, service: ServiceView): Promise<ServiceSignInStart> {
    const { id, oauth, owner } = service;
    if (oauth?.grant !== 'authorization_code' || oauth.authorizationUrl === undefined) throw errors.nothingToConnect();
    const redirectUri = this.redirectUri();
    assertConfirmed(service);
    for (const target of [oauth.authorizationUrl, oauth.tokenUrl]) this.guard(target, owner);
    const [state, secret] = [randomText(), randomText()];
    await this.source.query('DELETE FROM oauth_sign_ins WHERE expires_at <= clock_timestamp()');
    const { actor } = author;
    await this.source.query(START, [hashOfSecret(state), hashOfSecret(secret), id, actor.id, service.baseUrl]);
    const url = new URL(oauth.authorizationUrl);
    const parameters = {
      ...oauth.extraParams,
      response_type: 'code',
      client_id: oauth.clientId,
      redirect_uri: redirectUri,
      ...(oauth.scopes.length > 0 ? { scope: oauth.scopes.join(' ') } : {}),
      state,
      ...(usesPkce(oauth) && {
        code_challenge: hash('sha256', deriveVerifier(secret), 'base64url'),
        code_challenge_method: 'S256',
      }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, cookie: { name: cookieName(state), value: secret } };
  }

  /**
   * @param cookie finds a cookie of the browser by its name
   * @throws ApiError 400 before the provider is asked, unless this browser began this sign-in, and the sign-in has
   * neither expired nor ended
   */
  async finish(answer: URLSearchParams, cookie: (name: string) => string | undefined): Promise<Finished> {
    const state = answer.get('state') ?? '';
    const secret = cookie(cookieName(state)) ?? '';
    const [spent]: [SignIn[], number] = await this.source.query(SPEND, [hashOfSecret(state), hashOfSecret(secret)]);
    const signIn = spent.at(0);
    if (signIn === undefined) throw errors.signInUnknown();
    const { serviceId, userId, oauth, baseUrl } = signIn;
    const [found]: { view: ServiceViewJson; userName: string }[] = await this.source.query(UNCHANGED, [
      serviceId,
      userId,
      JSON.stringify(oauth),
      baseUrl,
    ]);
    if (found === undefined) throw errors.signInUnknown();
    const service = toServiceView(found.view);
    await this.assertAdmin(userId, service.workspaceId);
    try {
      const { secret: clientSecret } = this.vault.oauthSecrets(service);
      const client = { settings: oauth, secret: clientSecret, owner: service.owner };
      const verifier = usesPkce(oauth) ? deriveVerifier(secret) : null;
      const tokens = await this.provider.exchange(client, answer, state, this.redirectUri(), verifier);
      await this.connect(
        service,
        { id: userId, name: found.userName, workspaceId: service.workspaceId },
        oauth,
        tokens,
      );
      return { serviceId, outcome: 'connected' };
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      this.log.warn({ service: serviceId, err: error }, 'service could not be connected');
      await this.source.manager.update(ConnectionEntity, { serviceId }, { error: error.message });
      return { serviceId, outcome: error.kind === 'rejected' ? 'denied' : 'failed' };
    }
  }

  private async connect(
    service: ServiceView,
    actor: ChangeActor & { id: number },
    oauth: OAuthSettings,
    tokens: TokenSet,
  ): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      const [row]: { tokenNumber: number }[] = await tx.query(
        `SELECT c.token_number::float8 AS "tokenNumber" FROM services s JOIN connections c ON c.service_id = s.id
         WHERE s.id = $1 AND s.oauth = $2::jsonb AND s.base_url = $3 FOR NO KEY UPDATE OF s, c`,
        [service.id, JSON.stringify(oauth), service.baseUrl],
      );
      if (row === undefined) throw errors.signInUnknown();
      await this.assertAdmin(actor.id, service.workspaceId, tx);
      const until = new Date(this.clock.nowMs() + CREDENTIAL_GRACE_HOURS * HOUR_MS);
      const isKept = await this.previous.keepConnection(tx, service.id, until);
      // A refresh token of an earlier connection must not remain among the stored credentials.
      await this.vault.removeTokens(tx, service.id);
      await this.store.saveIn(tx, service.id, row.tokenNumber, { ...tokens, scopes: tokens.scopes ?? oauth.scopes });
      await tx.update(
        ConnectionEntity,
        { serviceId: service.id },
        { connectedBy: actor.id, connectedByName: actor.name, connectedAt: () => 'clock_timestamp()' },
      );
      await this.audit.recordChange(tx, {
        actor,
        reason: 'service.connected',
        service: { id: service.id, name: service.name },
        details: {
          scopes: tokens.scopes ?? oauth.scopes,
          ...(isKept && { graceHours: CREDENTIAL_GRACE_HOURS }),
        },
      });
    });
  }

  /**
   * The person may lose the right on the way to the provider and back, and while the provider answers.
   * @throws ApiError 400
   */
  private async assertAdmin(userId: number, workspaceId: number, tx?: EntityManager): Promise<void> {
    const role = await this.memberships.findRole(userId, workspaceId, tx);
    if (role === null || !isAtLeast(role, 'admin')) throw errors.signInUnknown();
  }

  /**
   * The egress guard checks this URL too, although only the browser opens it: a private address is a mistake in either
   * case.
   */
  private guard(target: string, owner: ServiceOwner): void {
    guardTarget(target, { baseUrl: target, owner }, this.egress);
  }

  private redirectUri(): string {
    if (this.http.publicUrl === null) throw errors.publicUrlMissing();
    return `${this.http.publicUrl}/oauth/callback`;
  }
}

/** Without PKCE, the state and the cookie still bind the answer to the browser. */
const usesPkce = ({ pkce = 'S256' }: OAuthSettings): boolean => pkce === 'S256';

/** A person may connect several services in several tabs. */
const cookieName = (state: string): string => `agw_oauth_${hashOfSecret(state).slice(0, 16)}`;
const deriveVerifier = (secret: string): string => hash('sha256', `pkce ${secret}`, 'base64url');
