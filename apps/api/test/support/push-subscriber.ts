import { createDecipheriv, createECDH, createHmac, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import type { WebPushSubscription } from '#contracts';

/** The browser's side of web push, after RFC 8188, 8291 and 8292: it subscribes, decrypts, and checks who has sent a message. */
export class PushSubscriber {
  private readonly curve = createECDH('prime256v1');
  private readonly auth = randomBytes(16);
  readonly subscription: WebPushSubscription;

  constructor(endpoint: string) {
    const p256dh = this.curve.generateKeys('base64url');
    this.subscription = { endpoint, expirationTime: null, keys: { p256dh, auth: this.auth.toString('base64url') } };
  }

  /** @throws Error if the message is for another browser or was changed */
  decrypt(message: Buffer): string {
    const salt = message.subarray(0, 16);
    const idEnd = 21 + message[20];
    const sender = message.subarray(21, idEnd);
    const secret = createHmac('sha256', this.auth).update(this.curve.computeSecret(sender)).digest();
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.curve.getPublicKey(), sender]);
    const input = createHmac('sha256', secret)
      .update(info)
      .update(Buffer.from([1]))
      .digest();
    const derived = (what: string, length: number) =>
      Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${what}\0`, length));
    const record = message.subarray(idEnd);
    const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    // The delimiter of the last record, and padding.
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }

  /** Reads the header with which a push service knows a sender. @throws Error unless it is signed by the key that it names */
  static verify(authorization: string): { audience: string; subject: string; expiresAt: number; publicKey: string } {
    const [, jwt, publicKey] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization)!;
    const [header, claims, signature] = jwt.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    const point = Buffer.from(publicKey, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
    const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
    const isSigned = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!isSigned || read(header)['alg'] !== 'ES256') throw new Error('not signed by the key');
    const { aud, sub, exp } = read(claims) as { aud: string; sub: string; exp: number };
    return { audience: aud, subject: sub, expiresAt: exp * 1000, publicKey };
  }
}
