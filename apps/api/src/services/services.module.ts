/** Services: the registry, the sign-ins and the rotation of their credentials, and their test. Depends on rules and below. */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { EgressModule } from '../egress/egress.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { ConnectController } from './connect.controller.js';
import { ConnectionsHousekeeping } from './connections.schedule.js';
import { CredentialRotation } from './credential-rotation.js';
import { ServiceRegistry } from './service-registry.js';
import { ServiceTester } from './service-tester.js';
import { ServicesController } from './services.controller.js';
import { SignIns } from './sign-ins.js';

@Module({
  imports: [MembershipModule, AuditModule, EgressModule, CredentialsModule, ConnectionsModule],
  controllers: [ServicesController, ConnectController],
  providers: [ConnectionsHousekeeping, CredentialRotation, ServiceRegistry, ServiceTester, SignIns],
  exports: [ServiceRegistry],
})
export class ServicesModule {}
