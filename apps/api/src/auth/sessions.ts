import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  IsNull,
  LessThanOrEqual,
  MoreThan,
  Not,
  type DataSource,
  type EntityManager,
  type FindOptionsWhere,
} from 'typeorm';
import type { Session, TokenPair } from '#contracts';
import { SessionEntity, UserEntity } from '#database';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { AuthConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { AccessEvents } from './access-events.js';
import type { AuthenticatedUser } from './current-user.js';
import { toPlace } from './known-places.js';
import type { RequestOrigin } from './request-origin.js';
import { TokenSigner, type TokenClaims } from './tokens.js';

const PURGE_INTERVAL_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Login sessions. Each is one row for a family of refresh tokens, of which only the newest is valid
 * (docs/reference/dashboard-api.md#sessions).
 */
@Injectable()
export class SessionRegistry {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly tokens: TokenSigner,
    private readonly clock: Clock,
    private readonly config: AuthConfig,
    private readonly events: AccessEvents,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * @param user `passwordHash`: the one that was checked; null: the person did not log in with a password
   * @returns null if the password was changed after the check
   */
  async open(user: Pick<UserEntity, 'id' | 'passwordHash'>, origin: RequestOrigin): Promise<TokenPair | null> {
    const claims = { userId: user.id, sessionId: randomUUID(), tokenId: randomUUID() };
    // Because of the lock, a password change waits for this row and then revokes it.
    const { device, network } = toPlace(origin);
    const rows = await this.source.query<unknown[]>(
      `WITH opened AS (INSERT INTO sessions (id, user_id, token_id, user_agent, address, created_at, last_used_at, expires_at)
       SELECT $1, id, $2, $3, $4, $5, $5, least($6::timestamptz, $5::timestamptz + make_interval(days => $9::int))
       FROM users WHERE id = $7 AND ($8::text IS NULL OR password_hash = $8) FOR SHARE
       RETURNING id, user_id
       ), place AS (
         INSERT INTO known_places (user_id, device, network, address, first_seen_at, last_seen_at)
         SELECT user_id, $10, $11, $4, $5, $5 FROM opened
         ON CONFLICT (user_id, device, network) DO UPDATE SET last_seen_at = excluded.last_seen_at
       )
       SELECT id FROM opened`,
      [
        claims.sessionId,
        claims.tokenId,
        origin.userAgent,
        origin.address,
        this.clock.now(),
        this.expiry(),
        user.id,
        user.passwordHash,
        this.config.sessionMaxDays,
        device,
        network,
      ],
    );
    return rows.length === 1 ? this.tokenPair(claims) : null;
  }

  /**
   * Exchanges a refresh token for the next one. Of parallel calls with one token, one succeeds; the others count as
   * reuse.
   */
  async refresh(refreshToken: string, origin: RequestOrigin): Promise<TokenPair> {
    const { userId, sessionId, tokenId } = this.tokens.verify(refreshToken, 'refresh');
    const next = { userId, sessionId, tokenId: randomUUID() };
    const [, refreshed] = await this.source.query<[unknown[], number]>(
      `UPDATE sessions SET token_id = $4, user_agent = $5, address = $6, last_used_at = $7,
         expires_at = least($8::timestamptz, created_at + make_interval(days => $9::int))
       WHERE id = $1 AND user_id = $2 AND token_id = $3 AND revoked_at IS NULL AND expires_at > $7
         AND created_at + make_interval(days => $9::int) > $7`,
      [
        sessionId,
        userId,
        tokenId,
        next.tokenId,
        origin.userAgent,
        origin.address,
        this.clock.now(),
        this.expiry(),
        this.config.sessionMaxDays,
      ],
    );
    if (refreshed !== 1) {
      if (await this.revoke({ id: sessionId, userId, ...this.alive() }))
        await this.tell('session.reuse', userId, origin);
      throw errors.invalidToken();
    }
    return this.tokenPair(next);
  }

  /**
   * Accepts any token of the family, used ones too: an old token is enough to end the session, though not to use it.
   */
  async logout(refreshToken: string, origin: RequestOrigin): Promise<void> {
    const { userId, sessionId } = this.tokens.verify(refreshToken, 'refresh');
    if (await this.revoke({ id: sessionId, userId })) await this.tell('logout', userId, origin);
  }

  /**
   * Returns the owner of the access token if the session is still valid. Queries the database, so that revocation takes
   * effect on every instance.
   */
  async authenticate({ userId, sessionId, expiresAt }: TokenClaims): Promise<AuthenticatedUser> {
    const [user] = await this.source.query<Pick<UserEntity, 'id' | 'email' | 'name'>[]>(
      `SELECT u.id, u.email, u.name FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3`,
      [sessionId, userId, this.clock.now()],
    );
    if (!user) throw errors.invalidToken();
    return { ...user, sessionId, expiresAt };
  }

  /** @throws ApiError 401 if the session has ended */
  async assertAlive({ id, sessionId }: Pick<AuthenticatedUser, 'id' | 'sessionId'>): Promise<void> {
    if (!(await this.sessions.existsBy({ id: sessionId, userId: id, ...this.alive() }))) throw errors.invalidToken();
  }

  async list(user: AuthenticatedUser): Promise<Session[]> {
    const rows = await this.sessions.find({
      where: { userId: user.id, ...this.alive() },
      order: { lastUsedAt: 'DESC', id: 'ASC' },
    });
    return rows.map((row) => ({
      id: row.id,
      current: row.id === user.sessionId,
      userAgent: row.userAgent,
      address: row.address,
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
      expiresAt: row.expiresAt.toISOString(),
    }));
  }

  /** @throws ApiError 404 if the session belongs to another user or has already ended */
  async revokeOne(user: AuthenticatedUser, sessionId: string, origin: RequestOrigin): Promise<void> {
    if (!(await this.revoke({ id: sessionId, userId: user.id, ...this.alive() }))) throw errors.sessionNotFound();
    this.events.tell('session.revoked', user, origin);
  }

  /** Ends all sessions of the user except the current one. @returns how many */
  async endOthers(user: AuthenticatedUser, origin: RequestOrigin): Promise<number> {
    const revoked = await this.revokeOthers(user, this.source.manager);
    if (revoked > 0) this.events.tell('session.revoked', user, origin);
    return revoked;
  }

  /** Does the same inside the caller's transaction. The caller publishes the event. */
  async revokeOthers(user: AuthenticatedUser, tx: EntityManager): Promise<number> {
    const { affected } = await tx.update(
      SessionEntity,
      { userId: user.id, id: Not(user.sessionId), ...this.alive() },
      { revokedAt: this.clock.now() },
    );
    return affected ?? 0;
  }

  @Interval(PURGE_INTERVAL_MS)
  purgeHourly(): void {
    this.background.run('purge sessions', () => this.purge());
  }

  /** Deletes sessions that have ended. Their tokens are refused because they find no row. */
  async purge(): Promise<void> {
    await this.sessions.delete([{ expiresAt: LessThanOrEqual(this.clock.now()) }, { revokedAt: Not(IsNull()) }]);
  }

  private async revoke(which: FindOptionsWhere<SessionEntity>): Promise<boolean> {
    const { affected } = await this.sessions.update({ ...which, revokedAt: IsNull() }, { revokedAt: this.clock.now() });
    return affected === 1;
  }

  private async tell(action: 'logout' | 'session.reuse', userId: number, origin: RequestOrigin): Promise<void> {
    const user = await this.source.manager.findOneBy(UserEntity, { id: userId });
    if (user) this.events.tell(action, user, origin);
  }

  private tokenPair(claims: Omit<TokenClaims, 'expiresAt'>): TokenPair {
    return {
      accessToken: this.tokens.sign('access', { ...claims, tokenId: randomUUID() }),
      refreshToken: this.tokens.sign('refresh', claims),
      expiresIn: this.config.accessTtlSeconds,
    };
  }

  private alive(): FindOptionsWhere<SessionEntity> {
    const oldest = new Date(this.clock.nowMs() - this.config.sessionMaxDays * DAY_MS);
    return { revokedAt: IsNull(), expiresAt: MoreThan(this.clock.now()), createdAt: MoreThan(oldest) };
  }

  /** When the session ends if nobody uses it again. */
  private expiry(): Date {
    return new Date(this.clock.nowMs() + this.config.refreshTtlSeconds * 1000);
  }

  private get sessions() {
    return this.source.getRepository(SessionEntity);
  }
}
