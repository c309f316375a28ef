/**
 * Services: their credentials, documentation and risk rules. Depends on audit and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { CredentialVault } from './credential-vault.js';
import { DocumentationController } from './documentation/documentation.controller.js';
import { DocumentationReader } from './documentation/documentation-reader.js';
import { DocumentationRegistry } from './documentation/documentation-registry.js';
import { DocumentationSearch } from './documentation/documentation-search.js';
import { OpenApiReader } from './documentation/openapi-reader.js';
import { OperationIndex } from './documentation/operation-index.js';
import { EgressModule } from '../egress/egress.module.js';
import { RiskRuleRegistry } from './risk-rules/risk-rule-registry.js';
import { RiskRulesController } from './risk-rules/risk-rules.controller.js';
import { ServiceRegistry } from './service-registry.js';
import { ServiceTester } from './service-tester.js';
import { ServicesController } from './services.controller.js';

@Module({
  imports: [AuthModule, AuditModule, CryptoModule, EgressModule],
  controllers: [ServicesController, DocumentationController, RiskRulesController],
  providers: [
    CredentialVault,
    DocumentationReader,
    DocumentationRegistry,
    DocumentationSearch,
    OpenApiReader,
    OperationIndex,
    RiskRuleRegistry,
    ServiceRegistry,
    ServiceTester,
  ],
  exports: [
    CredentialVault,
    DocumentationReader,
    DocumentationSearch,
    OperationIndex,
    RiskRuleRegistry,
    ServiceRegistry,
  ],
})
export class ServicesModule {}
