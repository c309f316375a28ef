import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { OAuthSettings } from '#contracts';
import { ConnectionEntity, inTransaction } from '#database';
import { AuditLog, gatewayIn } from '../audit/audit-log.js';
import { CredentialVault } from '../credentials/credential-vault.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { TokenSet } from './token-answer.js';

/** Longer than a token request may take. If a process dies, its claim ends after this time. */
const CLAIM_SECONDS = 20;
/**
 * If the API also refuses the token that was fetched after a 401, the token is not renewed again within this time,
 * because it is not the reason.
 */
const AFTER_401_SECONDS = 300;
const REFRESH_AHEAD_SECONDS = 60;
/**
 * Refresh tokens may expire if nobody uses them. They are used this often if the provider does not state their
 * lifetime.
 */
const KEEP_ALIVE_DAYS = 7;
const KEEP_ALIVE_PAUSE_MINUTES = 60;

/** Locks the service before anything that belongs to it, so that two transactions can't deadlock. */
const LOCK_SERVICE = 'SELECT FROM services WHERE id = $1 FOR NO KEY UPDATE';

const CLAIM = `
  UPDATE connections SET refresh_claim = $3, refresh_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
  WHERE service_id = $1 AND token_number = $2 AND NOT needs_reconnect
    AND (refresh_until IS NULL OR refresh_until <= clock_timestamp())
    AND NOT ($4 AND renewed_after_401 AND obtained_at > clock_timestamp() - make_interval(secs => ${AFTER_401_SECONDS}))`;

/**
 * The token number decides, not the claim: a token that arrives late is still the newest one, and with rotation the
 * only valid one. $3: the lifetime of the access token in seconds. $4: that of the refresh token. $5: scopes. $6: the
 * renewal followed a 401.
 */
const SAVE = `
  UPDATE connections SET token_number = token_number + 1, needs_reconnect = false, error = NULL,
    obtained_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $3::float8),
    refresh_at = clock_timestamp() + make_interval(secs => $3::float8 - least(${REFRESH_AHEAD_SECONDS}, $3::float8 / 5)),
    renew_by = clock_timestamp() + least(make_interval(days => ${KEEP_ALIVE_DAYS}), make_interval(secs => $4::float8 / 2)),
    scopes = coalesce($5::text[], scopes), renewed_after_401 = $6, refresh_claim = NULL, refresh_until = NULL
  WHERE service_id = $1 AND token_number = $2`;

/**
 * A connection that can't be renewed waits before it is tried again. Otherwise many of them would keep all others from
 * being kept alive.
 */
const RELEASE = `
  UPDATE connections SET error = $3, refresh_claim = NULL, refresh_until = NULL,
    renew_by = CASE WHEN renew_by <= clock_timestamp() THEN clock_timestamp() + make_interval(mins => ${KEEP_ALIVE_PAUSE_MINUTES}) ELSE renew_by END
  WHERE service_id = $1 AND refresh_claim = $2`;

/** The connections of services: which instance may renew a token, and the result. */
@Injectable()
export class ConnectionStore {
  constructor(
    private readonly source: DataSource,
    private readonly vault: CredentialVault,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Claims the right to renew this token, over all instances.
   * @returns whether the caller has it
   */
  async claim(serviceId: number, tokenNumber: number, claimId: string, after401: boolean): Promise<boolean> {
    const [, count]: [unknown, number] = await this.source.query(CLAIM, [serviceId, tokenNumber, claimId, after401]);
    return count === 1;
  }

  /** Whether the token was replaced or lost its connection, and if not, whether somebody is renewing it. */
  async progress(serviceId: number, tokenNumber: number): Promise<'changed' | 'running' | 'idle'> {
    const rows: { changed: boolean; running: boolean }[] = await this.source.query(
      `SELECT token_number <> $2 OR needs_reconnect AS changed, coalesce(refresh_until > clock_timestamp(), false) AS running
       FROM connections WHERE service_id = $1`,
      [serviceId, tokenNumber],
    );
    if (rows.length === 0 || rows[0].changed) return 'changed';
    return rows[0].running ? 'running' : 'idle';
  }

  /** Stores both tokens before either is used. @returns false: another token was stored meanwhile */
  save(serviceId: number, tokenNumber: number, tokens: TokenSet, after401: boolean): Promise<boolean> {
    return inTransaction(this.source, (tx) => this.saveIn(tx, serviceId, tokenNumber, tokens, after401));
  }

  async saveIn(
    tx: EntityManager,
    serviceId: number,
    tokenNumber: number,
    tokens: TokenSet,
    after401 = false,
  ): Promise<boolean> {
    await tx.query(LOCK_SERVICE, [serviceId]);
    const { expiresIn, refreshExpiresIn, scopes } = tokens;
    const values = [serviceId, tokenNumber, expiresIn, refreshExpiresIn, scopes, after401];
    const [, count]: [unknown, number] = await tx.query(SAVE, values);
    if (count !== 1) return false;
    await this.vault.storeTokens(tx, serviceId, tokens);
    return true;
  }

  /**
   * Marks the connection as broken: the provider rejects the stored token, so only a person can help. Does nothing if
   * another token was stored meanwhile.
   */
  async giveUp(service: ServiceView, tokenNumber: number, claimId: string, reason: string): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      await tx.query(LOCK_SERVICE, [service.id]);
      const { affected } = await tx.update(
        ConnectionEntity,
        { serviceId: service.id, tokenNumber, refreshClaim: claimId },
        { needsReconnect: true, error: reason, refreshClaim: null, refreshUntil: null },
      );
      if (affected !== 1) return;
      await this.audit.recordChange(tx, {
        actor: gatewayIn(service.workspaceId),
        service: { id: service.id, name: service.name },
        reason: 'service.connection_lost',
        details: { reason },
      });
    });
  }

  /**
   * Releases the claim.
   * @param error shown in the dashboard
   */
  async release(serviceId: number, claimId: string, error: string): Promise<void> {
    await this.source.query(RELEASE, [serviceId, claimId, error]);
  }

  /** Services whose refresh token should be used soon, so that it does not expire unused. */
  async toKeepAlive(limit: number): Promise<number[]> {
    const rows: { id: number }[] = await this.source.query(
      `SELECT c.service_id AS id FROM connections c JOIN services s ON s.id = c.service_id
       WHERE NOT c.needs_reconnect AND c.renew_by <= clock_timestamp() AND s.oauth->>'grant' = 'authorization_code'
         AND (c.refresh_until IS NULL OR c.refresh_until <= clock_timestamp())
         AND EXISTS (SELECT FROM credentials t WHERE t.service_id = c.service_id AND t.name = 'refresh_token')
       ORDER BY c.renew_by LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }
}

/** Resets a connection after its client or its credentials have changed. The caller holds a lock on the service. */
export async function resetConnection(
  tx: EntityManager,
  serviceId: number,
  oauth: OAuthSettings | null,
): Promise<void> {
  if (oauth === null) {
    await tx.delete(ConnectionEntity, { serviceId });
    return;
  }
  await tx.query(
    `INSERT INTO connections AS c (service_id) VALUES ($1)
     ON CONFLICT (service_id) DO UPDATE SET token_number = c.token_number + 1, needs_reconnect = false, error = NULL,
       expires_at = NULL, refresh_at = NULL, renew_by = NULL, obtained_at = NULL, renewed_after_401 = false, scopes = NULL,
       connected_by = NULL, connected_by_name = NULL, connected_at = NULL, refresh_claim = NULL, refresh_until = NULL`,
    [serviceId],
  );
}

/** Ends the sign-ins that have begun. The person allowed what the service was then. The caller holds a lock on it. */
export async function endSignIns(tx: EntityManager, serviceId: number): Promise<void> {
  await tx.query('DELETE FROM oauth_sign_ins WHERE service_id = $1', [serviceId]);
}

/**
 * Continues a connection that was reset, with the state that it had when its tokens were replaced. The tokens must be
 * stored again.
 */
export async function restoreConnection(tx: EntityManager, serviceId: number, state: object): Promise<void> {
  await tx.query(
    `UPDATE connections c SET needs_reconnect = p.needs_reconnect, obtained_at = p.obtained_at, expires_at = p.expires_at,
       refresh_at = p.refresh_at, renew_by = p.renew_by, renewed_after_401 = p.renewed_after_401, scopes = p.scopes, error = p.error,
       connected_by = (SELECT id FROM users WHERE id = p.connected_by), connected_by_name = p.connected_by_name,
       connected_at = p.connected_at
     FROM jsonb_populate_record(NULL::connections, $2) p WHERE c.service_id = $1`,
    [serviceId, JSON.stringify(state)],
  );
}
