/**
 * The endpoints of workspaces and members. Depends on audit, which records their changes, and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { MemberRegistry } from './member-registry.js';
import { WorkspaceRegistry } from './workspace-registry.js';
import { WorkspacesController } from './workspaces.controller.js';

@Module({
  imports: [AuditModule, MembershipModule],
  controllers: [WorkspacesController],
  providers: [MemberRegistry, WorkspaceRegistry],
})
export class WorkspacesModule {}
