import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { CreatePasskeyRequest, Passkey } from '#contracts';
import { inTransaction, sqlState } from '#database';
import { Clock } from '../../platform/clock.js';
import { errors } from '../../platform/errors.js';
import { AccessEvents } from '../access-events.js';
import type { AuthenticatedUser } from '../current-user.js';
import type { RequestOrigin } from '../request-origin.js';
import { WaysIn } from '../ways-in.js';
import type { SpentChallenge } from './passkey-challenges.js';
import { RelyingParty } from './relying-party.js';
import { webAuthn } from './web-authn.js';

const UNIQUE_VIOLATION = '23505';
/** EdDSA, ES256, RS256: every device has one of them, and every supported Node can check them. */
const ALGORITHMS = [-8, -7, -257];

const COLUMNS = 'id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt"';

interface Row extends Pick<Passkey, 'id' | 'name'> {
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The passkeys of an account (docs/reference/dashboard-api.md#passkeys). */
@Injectable()
export class PasskeyRegistry {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly site: RelyingParty,
    private readonly ways: WaysIn,
    private readonly clock: Clock,
    private readonly events: AccessEvents,
  ) {}

  /** Returns the handle of this account on its devices: that of its passkeys, or a new one. */
  async handleOf({ id }: AuthenticatedUser): Promise<string> {
    const [row]: { handle: string }[] = await this.source.query(
      'SELECT user_handle AS handle FROM passkeys WHERE user_id = $1 ORDER BY id LIMIT 1',
      [id],
    );
    return row?.handle ?? randomBytes(32).toString('base64url');
  }

  /** The options that the browser passes to the device that makes the passkey. */
  async options(user: AuthenticatedUser, challenge: string, handle: string): Promise<object> {
    const known: { id: string; transports: string[] }[] = await this.source.query(
      'SELECT credential_id AS id, transports FROM passkeys WHERE user_id = $1',
      [user.id],
    );
    const { generateRegistrationOptions } = await webAuthn();
    return generateRegistrationOptions({
      rpName: 'Agent Gateway',
      rpID: this.site.site.id,
      userName: user.email,
      userDisplayName: user.name,
      userID: new Uint8Array(Buffer.from(handle, 'base64url')),
      challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
      excludeCredentials: known,
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /** @throws ApiError 400 if the answer of the device is not valid; 409 */
  async add(
    user: AuthenticatedUser,
    { name, passkey }: CreatePasskeyRequest,
    { challenge, userHandle }: SpentChallenge,
    origin: RequestOrigin,
  ): Promise<Passkey> {
    const { id, publicKey, counter } = await this.verified(passkey, challenge);
    try {
      const [row]: Row[] = await this.source.query(
        `INSERT INTO passkeys (user_id, user_handle, credential_id, public_key, counter, transports, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
        [
          user.id,
          userHandle,
          id,
          Buffer.from(publicKey),
          counter,
          passkey.response.transports ?? [],
          name,
          this.clock.now(),
        ],
      );
      this.events.tell('passkey.added', user, origin);
      return toPasskey(row);
    } catch (error) {
      throw sqlState(error) === UNIQUE_VIOLATION ? errors.passkeyTaken() : error;
    }
  }

  async list({ id }: AuthenticatedUser): Promise<Passkey[]> {
    const rows: Row[] = await this.source.query(`SELECT ${COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY id`, [id]);
    return rows.map(toPasskey);
  }

  /** @throws ApiError 404 */
  async rename(user: AuthenticatedUser, id: number, name: string): Promise<Passkey> {
    const [rows]: [Row[], number] = await this.source.query(
      `UPDATE passkeys SET name = $3 WHERE id = $1 AND user_id = $2 RETURNING ${COLUMNS}`,
      [id, user.id, name],
    );
    if (rows.length === 0) throw errors.passkeyNotFound();
    return toPasskey(rows[0]);
  }

  /** @throws ApiError 404; 409 if the person could not log in any more */
  async remove(user: AuthenticatedUser, id: number, origin: RequestOrigin): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      await this.ways.keepOne(tx, user.id, async () => {
        const [, removed] = await tx.query<[unknown[], number]>('DELETE FROM passkeys WHERE id = $1 AND user_id = $2', [
          id,
          user.id,
        ]);
        if (removed === 0) throw errors.passkeyNotFound();
      });
    });
    this.events.tell('passkey.removed', user, origin);
  }

  private async verified(passkey: CreatePasskeyRequest['passkey'], expectedChallenge: string) {
    const { id: expectedRPID, origin: expectedOrigin } = this.site.site;
    const { verifyRegistrationResponse } = await webAuthn();
    try {
      const { registrationInfo } = await verifyRegistrationResponse({
        response: { ...passkey, clientExtensionResults: {} },
        expectedChallenge,
        expectedOrigin,
        expectedRPID,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (registrationInfo && registrationInfo.credential.id === passkey.id) return registrationInfo.credential;
    } catch (error) {
      throw errors.passkeyInvalid(error);
    }
    throw errors.passkeyInvalid();
  }
}

const toPasskey = ({ createdAt, lastUsedAt, ...row }: Row): Passkey => ({
  ...row,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
