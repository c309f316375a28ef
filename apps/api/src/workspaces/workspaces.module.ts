/**
 * The endpoints of workspaces, members, invitations, personal access tokens and the installation's administrators.
 * Depends on audit, which records their changes, on the outbox, which mails invitations, and below.
 */
import { Global, Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ProviderMemberships } from '../auth/oidc/provider-memberships.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { EventsModule } from '../events/events.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { AccessTokenRegistry } from './access-token-registry.js';
import { AccessTokensController } from './access-tokens.controller.js';
import { Installation } from './installation.js';
import { InstallationController } from './installation.controller.js';
import { InvitationMails } from './invitation-mails.js';
import { InvitationRegistry } from './invitation-registry.js';
import { InvitationsController } from './invitations.controller.js';
import { MappedMembers } from './mapped-members.js';
import { MemberRegistry } from './member-registry.js';
import { WorkspacePause } from './workspace-pause.js';
import { WorkspaceRegistry } from './workspace-registry.js';
import { WorkspacesController } from './workspaces.controller.js';

/** Global for `ProviderMemberships`, which auth calls: auth is below, and can't import this module. */
@Global()
@Module({
  imports: [AuditModule, MembershipModule, EventsModule, CryptoModule],
  controllers: [WorkspacesController, InvitationsController, AccessTokensController, InstallationController],
  providers: [
    AccessTokenRegistry,
    Installation,
    InvitationMails,
    InvitationRegistry,
    MemberRegistry,
    WorkspacePause,
    WorkspaceRegistry,
    { provide: ProviderMemberships, useClass: MappedMembers },
  ],
  exports: [ProviderMemberships, WorkspaceRegistry],
})
export class WorkspacesModule {}
