/**
 * OAuth 2 connections of services to their providers, and the credentials that can be put back. Depends on credentials
 * and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialsModule } from './credentials.module.js';
import { EgressModule } from '../egress/egress.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { ClientTest } from './connections/oauth/client-test.js';
import { ConnectionStore } from './connections/oauth/connection-store.js';
import { Connections } from './connections/oauth/connections.js';
import { ConnectionsHousekeeping } from './connections/oauth/connections.schedule.js';
import { PreviousCredentials } from './previous-credentials.js';
import { PreviousCredentialsHousekeeping } from './previous-credentials.schedule.js';
import { OAuthProvider } from './connections/oauth/provider.js';
import { SignIns } from './connections/oauth/sign-ins.js';

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
