import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import webPush from 'web-push';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { Clock } from '../platform/clock.js';
import { WEB_PUSH_KEY_BINDING } from './encrypted-keys.js';

interface StoredKeys {
  publicKey: string;
  encryptedPrivateKey: string;
}

/**
 * The key pair that identifies the gateway to push services (RFC 8292). It is created when it is first needed, and
 * never changes, because browsers subscribe for one public key.
 */
@Injectable()
export class VapidKeys {
  private stored: StoredKeys | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly cipher: CredentialCipher,
    private readonly clock: Clock,
  ) {}

  async publicKey(): Promise<string> {
    return (await this.load()).publicKey;
  }

  /** @throws Error if ENCRYPTION_SECRET has changed */
  async pair(): Promise<{ publicKey: string; privateKey: string }> {
    const { publicKey, encryptedPrivateKey } = await this.load();
    return { publicKey, privateKey: this.cipher.decrypt(encryptedPrivateKey, WEB_PUSH_KEY_BINDING) };
  }

  private async load(): Promise<StoredKeys> {
    this.stored ??= (await this.read()) ?? (await this.create());
    return this.stored;
  }

  /** Instances that create a pair at the same time all use the one that was stored first. */
  private async create(): Promise<StoredKeys> {
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    await this.source.query(
      `INSERT INTO web_push_keys (id, public_key, encrypted_private_key, created_at) VALUES (1, $1, $2, $3)
       ON CONFLICT (id) DO NOTHING`,
      [publicKey, this.cipher.encrypt(privateKey, WEB_PUSH_KEY_BINDING), this.clock.now()],
    );
    return (await this.read())!;
  }

  private async read(): Promise<StoredKeys | undefined> {
    const rows: StoredKeys[] = await this.source.query(
      `SELECT public_key AS "publicKey", encrypted_private_key AS "encryptedPrivateKey" FROM web_push_keys`,
    );
    return rows[0];
  }
}
