import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import webPush from 'web-push';
import { WebPushKeysEntity } from '#database';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { Clock } from '../platform/clock.js';
import { WEB_PUSH_KEY_BINDING } from './encrypted-keys.js';

/** There is one pair. */
const ONLY = { id: 1 };

/**
 * The key pair that identifies the gateway to push services (RFC 8292). It is created when it is first needed, and
 * never changes, because browsers subscribe for one public key.
 */
@Injectable()
export class VapidKeys {
  private stored: WebPushKeysEntity | null = null;

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

  private async load(): Promise<WebPushKeysEntity> {
    this.stored ??= (await this.read()) ?? (await this.create());
    return this.stored;
  }

  /** Instances that create a pair at the same time all use the one that was stored first. */
  private async create(): Promise<WebPushKeysEntity> {
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    const encryptedPrivateKey = this.cipher.encrypt(privateKey, WEB_PUSH_KEY_BINDING);
    const row = { ...ONLY, publicKey, encryptedPrivateKey, createdAt: this.clock.now() };
    await this.source.createQueryBuilder().insert().into(WebPushKeysEntity).values(row).orIgnore().execute();
    return (await this.read())!;
  }

  private read(): Promise<WebPushKeysEntity | null> {
    return this.source.manager.findOneBy(WebPushKeysEntity, ONLY);
  }
}
