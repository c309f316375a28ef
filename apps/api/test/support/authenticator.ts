import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import type { PasskeyAssertion, PasskeyRegistration } from '#contracts';

/** The difference between an answer and that of a correct device. */
export interface Bend {
  clientData?: object;
  /** The host that the device believes to have asked it. */
  rpId?: string;
  /** The flags: user present, user verified. */
  flags?: number;
  counter?: number;
  key?: KeyObject;
  userHandle?: string | null;
}

const PRESENT_VERIFIED = 0x05;
const WITH_CREDENTIAL = 0x40;

/** A device that makes one passkey (ES256) and uses it, in software (WebAuthn Level 3, 6). */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url');
  counter = 0;
  userHandle = '';
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** @param counts whether it counts its uses, as security keys do; synchronized passkeys always report 0 */
  constructor(
    private readonly origin: string,
    private readonly counts = true,
  ) {}

  /** The answer to creation options. */
  register(options: object, bend: Bend = {}): PasskeyRegistration {
    const { challenge, user } = options as { challenge: string; user: { id: string } };
    this.userHandle = user.id;
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const authData = Buffer.concat([
      this.authData({ ...bend, flags: (bend.flags ?? PRESENT_VERIFIED) | WITH_CREDENTIAL }),
      Buffer.alloc(16),
      length,
      id,
      this.publicKey(),
    ]);
    const attestation = map([
      [text('fmt'), text('none')],
      [text('attStmt'), map([])],
      [text('authData'), bytes(authData)],
    ]);
    return {
      ...this.named(),
      response: {
        clientDataJSON: this.clientData('webauthn.create', challenge, bend).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** The answer to request options. */
  sign(options: object, bend: Bend = {}): PasskeyAssertion {
    const { challenge } = options as { challenge: string };
    if (this.counts) this.counter += 1;
    const authData = this.authData(bend);
    const clientData = this.clientData('webauthn.get', challenge, bend);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    const signature = createSign('SHA256')
      .update(signed)
      .sign(bend.key ?? this.keys.privateKey);
    return {
      ...this.named(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: bend.userHandle === undefined ? this.userHandle : bend.userHandle,
      },
    };
  }

  private named() {
    return { id: this.id, rawId: this.id, type: 'public-key' as const };
  }

  private clientData(type: string, challenge: string, { clientData = {} }: Bend): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false, ...clientData }));
  }

  private authData({ rpId, flags = PRESENT_VERIFIED, counter = this.counter }: Bend): Buffer {
    const host = createHash('sha256').update(rpId ?? new URL(this.origin).hostname);
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([host.digest(), rest]);
  }

  /** COSE (RFC 9053, 7.1.1): kty EC2, alg ES256, crv P-256, x, y. */
  private publicKey(): Buffer {
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' });
    return map([
      [Buffer.of(0x01), Buffer.of(0x02)],
      [Buffer.of(0x03), Buffer.of(0x26)],
      [Buffer.of(0x20), Buffer.of(0x01)],
      [Buffer.of(0x21), bytes(Buffer.from(x!, 'base64url'))],
      [Buffer.of(0x22), bytes(Buffer.from(y!, 'base64url'))],
    ]);
  }
}

/** The part of CBOR (RFC 8949) that an attestation needs. */
const text = (value: string): Buffer => Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
const bytes = (value: Buffer): Buffer =>
  Buffer.concat([
    value.length < 256 ? Buffer.of(0x58, value.length) : Buffer.of(0x59, value.length >> 8, value.length & 255),
    value,
  ]);
const map = (entries: [Buffer, Buffer][]): Buffer =>
  Buffer.concat([Buffer.of(0xa0 + entries.length), ...entries.flat()]);
