import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuthConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { RelyingParty } from './relying-party.js';

/** The ways to log in to an account: password, passkeys, sign-ins at the provider. */
@Injectable()
export class WaysIn {
  constructor(
    private readonly config: AuthConfig,
    private readonly site: RelyingParty,
  ) {}

  /**
   * Removes a way to log in. The account is locked, so that two calls at once don't remove the last two.
   * @throws ApiError 409 if none would be left
   */
  async keepOne(tx: EntityManager, userId: number, remove: () => Promise<void>): Promise<void> {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [userId]);
    await remove();
    const [{ left }]: { left: boolean }[] = await tx.query(
      `SELECT (u.password_hash IS NOT NULL AND $2) OR EXISTS (SELECT FROM identities i WHERE i.user_id = u.id)
         OR ($3 AND EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id)) AS left
       FROM users u WHERE u.id = $1`,
      [userId, this.config.passwordLogin, this.site.signsIn],
    );
    if (!left) throw errors.lastIdentity();
  }
}
