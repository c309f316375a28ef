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
import { ConnectionsHousekeeping } from './connections.schedule.js';
import { PreviousCredentials } from './previous-credentials.js';
import { PreviousCredentialsHousekeeping } from './previous-credentials.schedule.js';
import { OAuthProvider } from './provider.js';
import { SignIns } from './sign-ins.js';

@Module({
  imports: [MembershipModule, AuditModule, EgressModule, CredentialsModule],
  providers: [
    ClientTest,
    Connections,
    ConnectionsHousekeeping,
    ConnectionStore,
    OAuthProvider,
    PreviousCredentials,
    PreviousCredentialsHousekeeping,
    SignIns,
  ],
  exports: [ClientTest, Connections, PreviousCredentials, SignIns],
})
export class ConnectionsModule {}
