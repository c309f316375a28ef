/**
 * Encryption of credentials and the making of agent keys. Depends on platform only.
 */
import { Module } from '@nestjs/common';
import { CredentialCipher } from './credential-cipher.js';

@Module({ providers: [CredentialCipher], exports: [CredentialCipher] })
export class CryptoModule {}
