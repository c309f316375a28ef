import { createPublicKey, verify } from 'node:crypto';
import { PushReader } from '../../../../test/chaos/lib/push-reader.mjs';

/** A browser that also checks the sender of a message, as RFC 8292 says. */
export class PushSubscriber extends PushReader {
  /**
   * Reads the header with which a push service knows a sender.
   * @throws Error unless it is signed by the key that it names
   */
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
