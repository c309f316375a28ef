import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { CreatePasskeyRequest, Passkey } from '#contracts';
import { inTransaction, isUniqueViolation, PasskeyEntity } from '#database';
import { randomText } from '../../crypto/shown-once.js';
import { Clock } from '../../platform/clock.js';
import { errors } from '../../platform/errors.js';
import { AccessEvents } from '../access-events.js';
import type { AuthenticatedUser } from '../current-user.js';
import type { RequestOrigin } from '../request-origin.js';
import { WaysIn } from '../ways-in.js';
import type { SpentChallenge } from './passkey-challenges.js';
import { RelyingParty } from '../relying-party.js';
import { toCredential, webAuthn } from './web-authn.js';

/** EdDSA, ES256, RS256: every device has one of them, and every supported Node can check them. */
const ALGORITHMS = [-8, -7, -257];

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
  async findOrMakeHandle({ id }: AuthenticatedUser): Promise<string> {
    const first = await this.passkeys.findOne({ where: { userId: id }, order: { id: 'ASC' } });
    return first?.userHandle ?? randomText();
  }

  /** The options that the browser passes to the device that makes the passkey. */
  async options(user: AuthenticatedUser, challenge: string, handle: string): Promise<object> {
    const known = await this.passkeys.findBy({ userId: user.id });
    const { generateRegistrationOptions } = await webAuthn();
    return generateRegistrationOptions({
      rpName: 'Agent Gateway',
      rpID: this.site.site.id,
      userName: user.email,
      userDisplayName: user.name,
      userID: new Uint8Array(Buffer.from(handle, 'base64url')),
      challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
      excludeCredentials: known.map(toCredential),
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
    const row = this.passkeys.create({
      userId: user.id,
      // A challenge for a new passkey has one.
      userHandle: userHandle!,
      credentialId: id,
      publicKey: Buffer.from(publicKey),
      counter: String(counter),
      transports: passkey.response.transports ?? [],
      name,
      createdAt: this.clock.now(),
      lastUsedAt: null,
    });
    try {
      await this.passkeys.insert(row);
    } catch (error) {
      throw isUniqueViolation(error) ? errors.passkeyTaken() : error;
    }
    this.events.tell('passkey.added', user, origin);
    return toPasskey(row);
  }

  async list({ id }: AuthenticatedUser): Promise<Passkey[]> {
    const rows = await this.passkeys.find({ where: { userId: id }, order: { id: 'ASC' } });
    return rows.map(toPasskey);
  }

  /** @throws ApiError 404 */
  async rename(user: AuthenticatedUser, id: number, name: string): Promise<Passkey> {
    await this.passkeys.update({ id, userId: user.id }, { name });
    const row = await this.passkeys.findOneBy({ id, userId: user.id });
    if (row === null) throw errors.passkeyNotFound();
    return toPasskey(row);
  }

  /** @throws ApiError 404; 409 if the person could not log in any more */
  async remove(user: AuthenticatedUser, id: number, origin: RequestOrigin): Promise<void> {
    await inTransaction(this.source, async (tx) => {
      await this.ways.keepOne(tx, user.id, async () => {
        const { affected } = await tx.delete(PasskeyEntity, { id, userId: user.id });
        if (affected !== 1) throw errors.passkeyNotFound();
      });
    });
    this.events.tell('passkey.removed', user, origin);
  }

  private get passkeys() {
    return this.source.getRepository(PasskeyEntity);
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

const toPasskey = ({ id, name, createdAt, lastUsedAt }: PasskeyEntity): Passkey => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
