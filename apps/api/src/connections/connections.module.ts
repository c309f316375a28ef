/**
 * OAuth 2 connections of services to their providers, and the credentials that can be put back. Depends on credentials
 * and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { EgressModule } from '../egress/egress.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { ClientTest } from './client-test.js';
import { ConnectionStore } from './connection-store.js';
import { Connections } from './connections.js';
import { PreviousCredentials } from './previous-credentials.js';
import { PreviousCredentialsHousekeeping } from './previous-credentials.schedule.js';
import { OAuthProvider } from './provider.js';

@Module({
  imports: [MembershipModule, AuditModule, EgressModule, CredentialsModule],
  providers: [
    ClientTest,
    Connections,
    ConnectionStore,
    OAuthProvider,
    PreviousCredentials,
    PreviousCredentialsHousekeeping,
  ],
  exports: [ClientTest, Connections, ConnectionStore, OAuthProvider, PreviousCredentials],
})
export class ConnectionsModule {}
