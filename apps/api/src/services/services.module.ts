/**
 * Services: their credentials, documentation and risk rules. Depends on audit and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { ClientTest } from './connections/oauth/client-test.js';
import { ConnectController } from './connections/oauth/connect.controller.js';
import { ConnectionStore } from './connections/oauth/connection-store.js';
import { Connections } from './connections/oauth/connections.js';
import { ConnectionsHousekeeping } from './connections/oauth/connections.schedule.js';
import { OAuthProvider } from './connections/oauth/provider.js';
import { SignIns } from './connections/oauth/sign-ins.js';
import { CredentialRotation } from './credential-rotation.js';
import { CredentialVault } from './credential-vault.js';
import { DocumentationController } from './documentation/documentation.controller.js';
import { DocumentationReader } from './documentation/documentation-reader.js';
import { DocumentationRegistry } from './documentation/documentation-registry.js';
import { DocumentationSearch } from './documentation/documentation-search.js';
import { OpenApiReader } from './documentation/openapi-reader.js';
import { OperationIndex } from './documentation/operation-index.js';
import { EgressModule } from '../egress/egress.module.js';
import { PreviousCredentials } from './previous-credentials.js';
import { PreviousCredentialsHousekeeping } from './previous-credentials.schedule.js';
import { RiskRuleRegistry } from './risk-rules/risk-rule-registry.js';
import { RiskRulesController } from './risk-rules/risk-rules.controller.js';
import { ServiceRegistry } from './service-registry.js';
import { ServiceTester } from './service-tester.js';
import { ServicesController } from './services.controller.js';

@Module({
  imports: [MembershipModule, AuditModule, CryptoModule, EgressModule],
  controllers: [ServicesController, ConnectController, DocumentationController, RiskRulesController],
  providers: [
    ClientTest,
    Connections,
    ConnectionsHousekeeping,
    ConnectionStore,
    CredentialRotation,
    CredentialVault,
    DocumentationReader,
    DocumentationRegistry,
    DocumentationSearch,
    OAuthProvider,
    OpenApiReader,
    OperationIndex,
    PreviousCredentials,
    PreviousCredentialsHousekeeping,
    RiskRuleRegistry,
    ServiceRegistry,
    ServiceTester,
    SignIns,
  ],
  exports: [
    Connections,
    CredentialVault,
    DocumentationReader,
    DocumentationRegistry,
    DocumentationSearch,
    OperationIndex,
    RiskRuleRegistry,
    ServiceRegistry,
  ],
})
export class ServicesModule {}
