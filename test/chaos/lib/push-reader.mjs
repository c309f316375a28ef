/** The browser's side of web push (RFC 8188 and 8291): it subscribes, and decrypts its messages. */
import { createDecipheriv, createECDH, createHmac, hkdfSync, randomBytes } from 'node:crypto';

export class PushReader {
  #curve = createECDH('prime256v1');
  #auth = randomBytes(16);
  subscription;

  /** @param {string} endpoint the address at which the push service accepts messages */
  constructor(endpoint) {
    const p256dh = this.#curve.generateKeys('base64url');
    this.subscription = { endpoint, expirationTime: null, keys: { p256dh, auth: this.#auth.toString('base64url') } };
  }

  /** @param {Buffer} message @throws {Error} if the message is for another browser or was changed */
  decrypt(message) {
    const salt = message.subarray(0, 16);
    const idEnd = 21 + message[20];
    const sender = message.subarray(21, idEnd);
    const secret = createHmac('sha256', this.#auth).update(this.#curve.computeSecret(sender)).digest();
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#curve.getPublicKey(), sender]);
    const input = createHmac('sha256', secret)
      .update(info)
      .update(Buffer.from([1]))
      .digest();
    /** @param {string} what @param {number} length */
    const derived = (what, length) =>
      Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${what}\0`, length));
    const record = message.subarray(idEnd);
    const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    // The delimiter of the last record, and padding.
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }
}
