/** The documentation of services: its import, its operations and the search in it. Depends on connections and below. */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { DocumentationController } from './documentation.controller.js';
import { DocumentationReader } from './documentation-reader.js';
import { DocumentationRegistry } from './documentation-registry.js';
import { DocumentationSearch } from './documentation-search.js';
import { OpenApiReader } from './openapi-reader.js';
import { OperationIndex } from './operation-index.js';

@Module({
  imports: [MembershipModule, AuditModule],
  controllers: [DocumentationController],
  providers: [DocumentationReader, DocumentationRegistry, DocumentationSearch, OpenApiReader, OperationIndex],
  exports: [DocumentationReader, DocumentationRegistry, DocumentationSearch, OperationIndex],
})
export class DocumentationModule {}
