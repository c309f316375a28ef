import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { PasskeyAssertion } from '#contracts';
import { PasskeyEntity } from '#database';
import { Clock } from '../../platform/clock.js';
import { Log } from '../../platform/logging.js';
import { AccessEvents } from '../access-events.js';
import { LoginThrottle } from '../login-throttle.js';
import type { RequestOrigin } from '../request-origin.js';
import { RelyingParty } from '../relying-party.js';
import { toCredential, webAuthn } from './web-authn.js';

const FIND = `
  SELECT p.id, u.id AS "userId", u.name, p.user_handle AS "userHandle", p.public_key AS "publicKey", p.counter
  FROM passkeys p JOIN users u ON u.id = p.user_id WHERE p.credential_id = $1`;

/**
 * Updates nothing if the passkey was used meanwhile with this counter or a higher one: then somebody has a copy of the
 * device. Devices that don't count always report 0.
 */
const USE = `
  UPDATE passkeys SET counter = $2, last_used_at = $3 WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))`;

interface Row {
  id: number;
  userId: number;
  /** The person's name. */
  name: string;
  userHandle: string;
  publicKey: Buffer;
  counter: string;
}

/** Checks what devices sign when people use their passkeys. */
@Injectable()
export class PasskeyAssertions {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly site: RelyingParty,
    private readonly throttle: LoginThrottle,
    private readonly clock: Clock,
    private readonly events: AccessEvents,
    private readonly log: Log,
  ) {}

  /**
   * The options that the browser passes to the device.
   * @param userId null: the device says who signs in
   */
  async options(challenge: string, userId: number | null): Promise<object> {
    const { manager } = this.source;
    const allowed =
      userId === null ? [] : await manager.find(PasskeyEntity, { where: { userId }, order: { id: 'ASC' } });
    const { generateAuthenticationOptions } = await webAuthn();
    return generateAuthenticationOptions({
      rpID: this.site.site.id,
      challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
      userVerification: 'required',
      allowCredentials: allowed.map(toCredential),
    });
  }

  /**
   * Wrong answers count as failed log-ins.
   * @param confirming the account whose person confirms; null: somebody signs in
   * @returns the account of the passkey; null if it is unknown, or if anything in the answer is invalid
   * @throws ApiError 429
   */
  async use(
    passkey: PasskeyAssertion,
    challenge: string,
    confirming: number | null,
    origin: RequestOrigin,
  ): Promise<number | null> {
    const attempts = passkey.id.slice(0, 254);
    await this.throttle.reserve(attempts, origin.address);
    const [row]: Row[] = await this.source.query(FIND, [passkey.id]);
    if (row === undefined) return null;
    if (!(await this.accepts(row, passkey, challenge, confirming))) {
      const person = { id: row.userId, name: row.name };
      this.events.tell(confirming === null ? 'login.failed' : 'session.confirm_failed', person, origin);
      return null;
    }
    await this.throttle.forgive(attempts, origin.address);
    return row.userId;
  }

  private async accepts(
    row: Row,
    passkey: PasskeyAssertion,
    challenge: string,
    confirming: number | null,
  ): Promise<boolean> {
    if (confirming !== null && row.userId !== confirming) return false;
    // A device may leave the handle out only if it was told which passkey to use.
    const { userHandle } = passkey.response;
    if (userHandle ? userHandle !== row.userHandle : confirming === null) return false;
    const counter = await this.verify(row, passkey, challenge);
    if (counter === null) return false;
    const [, used] = await this.source.query<[unknown[], number]>(USE, [row.id, counter, this.clock.now()]);
    return used === 1;
  }

  /** @returns the counter of the device */
  private async verify(
    row: Row,
    { response, ...passkey }: PasskeyAssertion,
    expectedChallenge: string,
  ): Promise<number | null> {
    const { id: expectedRPID, origin: expectedOrigin } = this.site.site;
    const { verifyAuthenticationResponse } = await webAuthn();
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          ...passkey,
          response: { ...response, userHandle: response.userHandle ?? undefined },
          clientExtensionResults: {},
        },
        expectedChallenge,
        expectedOrigin,
        expectedRPID,
        credential: { id: passkey.id, publicKey: new Uint8Array(row.publicKey), counter: Number(row.counter) },
      });
      return verified ? authenticationInfo.newCounter : null;
    } catch (error) {
      this.log.warn({ passkey: row.id, err: error }, 'the answer of a passkey was refused');
      return null;
    }
  }
}
