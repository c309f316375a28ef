import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { IsNull, MoreThan, Not, type DataSource, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Session, TokenPair } from '#contracts';
import { SessionEntity, type UserEntity } from '#database';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { AuthConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { AccessEvents } from './access-events.js';
import type { AuthenticatedUser } from './current-user.js';
import type { RequestOrigin } from './request-origin.js';
import { TokenSigner, type TokenClaims } from './tokens.js';

const PURGE_INTERVAL_MS = 60 * 60 * 1000;

/** Log-ins. Each is one row, the family of its refresh tokens, of which one at a time is good (contract 2). */
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

  /** @returns null when the password was changed after it had been checked */
  async open(user: Pick<UserEntity, 'id' | 'passwordHash'>, origin: RequestOrigin): Promise<TokenPair | null> {
    const claims = { userId: user.id, sessionId: randomUUID(), tokenId: randomUUID() };
    // The lock makes a password change wait for this row, and then revoke it.
    const rows = await this.source.query<unknown[]>(
      `INSERT INTO sessions (id, user_id, token_id, user_agent, address, created_at, last_used_at, expires_at)
       SELECT $1, id, $2, $3, $4, $5, $5, $6 FROM users WHERE id = $7 AND password_hash = $8 FOR SHARE
       RETURNING id`,
      [
        claims.sessionId,
        claims.tokenId,
        origin.userAgent,
        origin.address,
        this.clock.now(),
        this.expiry(),
        user.id,
        user.passwordHash,
      ],
    );
    return rows.length === 1 ? this.tokenPair(claims) : null;
  }

  /** Spends a refresh token for the next one. Of parallel calls with one token, one wins; the others are reuse. */
  async refresh(refreshToken: string, origin: RequestOrigin): Promise<TokenPair> {
    const { userId, sessionId, tokenId } = this.tokens.verify(refreshToken, 'refresh');
    const next = { userId, sessionId, tokenId: randomUUID() };
    const { affected } = await this.sessions.update(
      { id: sessionId, userId, tokenId, ...this.alive() },
      {
        tokenId: next.tokenId,
        lastUsedAt: this.clock.now(),
        expiresAt: this.expiry(),
        userAgent: origin.userAgent,
        address: origin.address,
      },
    );
    if (affected !== 1) {
      if (await this.revoke({ id: sessionId, userId })) await this.tell('session.reuse', userId, origin);
      throw errors.invalidToken();
    }
    return this.tokenPair(next);
  }

  /** Any token of the family will do, spent ones too: its holder may end the session, not use it. */
  async logout(refreshToken: string, origin: RequestOrigin): Promise<void> {
    const { userId, sessionId } = this.tokens.verify(refreshToken, 'refresh');
    if (await this.revoke({ id: sessionId, userId })) await this.tell('logout', userId, origin);
  }

  /** Whose access token it is, if the session still holds: one query, so that revocation shows on every instance. */
  async authenticate({ userId, sessionId, expiresAt }: TokenClaims): Promise<AuthenticatedUser> {
    const [user] = await this.source.query<Pick<UserEntity, 'id' | 'email' | 'name'>[]>(
      `SELECT u.id, u.email, u.name FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3`,
      [sessionId, userId, this.clock.now()],
    );
    if (!user) throw errors.invalidToken();
    return { ...user, sessionId, expiresAt };
  }

  /** @throws ApiError 401 when the session is over */
  async assertAlive({ id, sessionId }: AuthenticatedUser): Promise<void> {
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

  /** @throws ApiError 404 when it is another user's, or over already */
  async revokeOne(user: AuthenticatedUser, sessionId: string, origin: RequestOrigin): Promise<void> {
    if (!(await this.revoke({ id: sessionId, userId: user.id, ...this.alive() }))) throw errors.sessionNotFound();
    this.events.tell('session.revoked', user, origin);
  }

  /** Every session of the user but the one that asks. @returns how many */
  async endOthers(user: AuthenticatedUser, origin: RequestOrigin): Promise<number> {
    const revoked = await this.revokeOthers(user, this.source.manager);
    if (revoked > 0) this.events.tell('session.revoked', user, origin);
    return revoked;
  }

  /** The same inside a transaction of the caller, who tells of it. */
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

  /** Deletes sessions that are over: a token of theirs finds no row, which is refused alike. */
  async purge(): Promise<void> {
    await this.source.query('DELETE FROM sessions WHERE expires_at <= $1 OR revoked_at IS NOT NULL', [
      this.clock.now(),
    ]);
  }

  private async revoke(which: FindOptionsWhere<SessionEntity>): Promise<boolean> {
    const { affected } = await this.sessions.update({ ...which, revokedAt: IsNull() }, { revokedAt: this.clock.now() });
    return affected === 1;
  }

  private async tell(action: 'logout' | 'session.reuse', userId: number, origin: RequestOrigin): Promise<void> {
    const [user] = await this.source.query<Pick<UserEntity, 'id' | 'name'>[]>(
      'SELECT id, name FROM users WHERE id = $1',
      [userId],
    );
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
    return { revokedAt: IsNull(), expiresAt: MoreThan(this.clock.now()) };
  }

  private expiry(): Date {
    return new Date(this.clock.nowMs() + this.config.refreshTtlSeconds * 1000);
  }

  private get sessions() {
    return this.source.getRepository(SessionEntity);
  }
}
