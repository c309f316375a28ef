/**
 * People decide in Slack: the endpoint that Slack calls, and the links between Slack users and members. Decisions are
 * made in the same way as in the dashboard. Depends on approvals, channels and below.
 */
import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { SlackChannels } from './slack-channels.js';
import { SlackDecisions } from './slack-decisions.js';
import { SlackForms } from './slack-forms.js';
import { SlackHookController } from './slack-hook.controller.js';
import { SlackHookGuard } from './slack-hook.guard.js';
import { SlackLinksController } from './slack-links.controller.js';
import { SlackLinks } from './slack-links.js';
import { SlackHousekeeping } from './slack.schedule.js';
import { SlackUsers } from './slack-users.js';

@Module({
  imports: [ApprovalsModule, ChannelsModule, CryptoModule, MembershipModule, AuditModule],
  controllers: [SlackHookController, SlackLinksController],
  providers: [SlackChannels, SlackDecisions, SlackForms, SlackHookGuard, SlackLinks, SlackUsers, SlackHousekeeping],
})
export class SlackModule {}
