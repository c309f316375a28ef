/** Services: the registry, the rotation of their credentials, and their test. Depends on connections and below. */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { EgressModule } from '../egress/egress.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { ConnectController } from './connect.controller.js';
import { CredentialRotation } from './credential-rotation.js';
import { ServiceRegistry } from './service-registry.js';
import { ServiceTester } from './service-tester.js';
import { ServicesController } from './services.controller.js';

@Module({
  imports: [MembershipModule, AuditModule, EgressModule, CredentialsModule, ConnectionsModule],
  controllers: [ServicesController, ConnectController],
  providers: [CredentialRotation, ServiceRegistry, ServiceTester],
  exports: [ServiceRegistry],
})
export class ServicesModule {}
