import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CryptoConfig } from '../platform/config.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D section 8.2.2: 96 random bits per value. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts credential values at rest, as hex `iv:authTag:ciphertext` (docs/reference/dashboard-api.md#encryption). */
@Injectable()
export class CredentialCipher {
  /** Derived only once, because scrypt is deliberately slow. */
  private readonly key: Buffer;

  constructor({ encryptionSecret, encryptionSalt }: CryptoConfig) {
    this.key = scryptSync(encryptionSecret, encryptionSalt, KEY_BYTES);
  }

  encrypt(value: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv, { authTagLength: TAG_BYTES });
    const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
    return [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('hex')).join(':');
  }

  /** @throws Error if the text was not encrypted with this key or was changed since */
  decrypt(stored: string): string {
    const match = /^([0-9a-f]{24}):([0-9a-f]{32}):((?:[0-9a-f]{2})*)$/.exec(stored);
    if (!match) throw new Error('not an encrypted value');
    const [iv, tag, ciphertext] = match.slice(1).map((part) => Buffer.from(part, 'hex'));
    const decipher = createDecipheriv(ALGORITHM, this.key, iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  }
}
