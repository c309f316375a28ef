/** The stored credentials of services, and how they become part of a request. Depends on crypto and below. */
import { Module } from '@nestjs/common';
import { CryptoModule } from '../crypto/crypto.module.js';
import { CredentialVault } from './credential-vault.js';

@Module({
  imports: [CryptoModule],
  providers: [CredentialVault],
  exports: [CredentialVault],
})
export class CredentialsModule {}
