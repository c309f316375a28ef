/**
 * Encrypts credentials and creates agent keys. Depends only on platform.
 */
import { Module } from '@nestjs/common';
import { CredentialCipher } from './credential-cipher.js';

@Module({ providers: [CredentialCipher], exports: [CredentialCipher] })
export class CryptoModule {}
