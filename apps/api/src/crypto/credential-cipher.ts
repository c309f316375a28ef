import { createCipheriv, createDecipheriv, createHmac, randomBytes, scryptSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CryptoConfig } from '../platform/config.js';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D section 8.2.2: 96 random bits per value. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const FINGERPRINT_LENGTH = 8;

/** Marks values of older releases, which are not bound. No value is written like this any more. */
export const UNBOUND = 'unbound:';

/** Where a value belongs: its kind, and what identifies its row. A value decrypts nowhere else. */
export type Binding = readonly [kind: string, ...row: (string | number)[]];

/** Encrypts values at rest, as hex `iv:authTag:ciphertext` (docs/reference/dashboard-api.md#encryption). */
@Injectable()
export class CredentialCipher {
  /** Derived only once, because scrypt is deliberately slow. */
  private readonly key: Buffer;
  /** All keys that values may be encrypted with; the first one is `key`. */
  private readonly keys: readonly Buffer[];

  constructor({ encryptionSecret, previousEncryptionSecret, encryptionSalt }: CryptoConfig) {
    const secrets = previousEncryptionSecret ? [encryptionSecret, previousEncryptionSecret] : [encryptionSecret];
    this.keys = secrets.map((secret) => scryptSync(secret, encryptionSalt, KEY_BYTES));
    [this.key] = this.keys;
  }

  /** Distinguishes the keys of instances, and reveals nothing about them. */
  get fingerprint(): string {
    return createHmac('sha256', this.key).update('fingerprint').digest('hex').slice(0, FINGERPRINT_LENGTH);
  }

  encrypt(value: string, binding: Binding): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv, { authTagLength: TAG_BYTES }).setAAD(encodeBinding(binding));
    const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
    return [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('hex')).join(':');
  }

  /** @throws Error if the text was not encrypted for this place with one of the keys, or was changed since */
  decrypt(stored: string, binding: Binding): string {
    return this.open(stored, binding).value;
  }

  /** The same value, bound and encrypted with the current key; null if it already is. @throws as `decrypt` */
  renew(stored: string, binding: Binding): string | null {
    const { value, key } = this.open(stored, binding);
    return key === this.key && !stored.startsWith(UNBOUND) ? null : this.encrypt(value, binding);
  }

  private open(stored: string, binding: Binding): { value: string; key: Buffer } {
    const isBound = !stored.startsWith(UNBOUND);
    const text = isBound ? stored : stored.slice(UNBOUND.length);
    const match = /^([0-9a-f]{24}):([0-9a-f]{32}):((?:[0-9a-f]{2})*)$/.exec(text);
    if (!match) throw new Error('not an encrypted value');
    const parts = match.slice(1).map((part) => Buffer.from(part, 'hex'));
    for (const key of this.keys) {
      const value = decipher(key, parts, isBound ? encodeBinding(binding) : null);
      if (value !== null) return { value, key };
    }
    throw new Error('encrypted with another secret, for another place, or changed since');
  }
}

/** JSON keeps the parts apart, whatever characters a name has. */
const encodeBinding = (binding: Binding): Buffer => Buffer.from(JSON.stringify(binding));

function decipher(key: Buffer, [iv, tag, ciphertext]: Buffer[], binding: Buffer | null): string | null {
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAuthTag(tag);
  if (binding !== null) decipher.setAAD(binding);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
