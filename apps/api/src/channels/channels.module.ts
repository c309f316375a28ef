/**
 * Channels notify people and their programs of events in a workspace. Database triggers queue the notifications; this
 * module reads nothing else about actions. Each type of channel is one file in `media/`. Depends on outbox, web-push,
 * services (for the author of a change) and below.
 */
import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CryptoModule } from '../crypto/crypto.module.js';
import { EventsModule } from '../events/events.module.js';
import { MembershipModule } from '../membership/membership.module.js';
import { WebPushModule } from '../web-push/web-push.module.js';
import { ChannelDeliveries } from './channel-deliveries.js';
import { ChannelPacing } from './channel-pacing.js';
import { ChannelQueue } from './channel-queue.js';
import { ChannelReceiver } from './media/channel-receiver.js';
import { ChannelRegistry } from './channel-registry.js';
import { ChannelReminders } from './channel-reminders.js';
import { ChannelSender } from './channel-sender.js';
import { ChannelSettings } from './channel-settings.js';
import { ChannelsController } from './channels.controller.js';
import { ChannelsHousekeeping } from './channels.schedule.js';
import { MailLimit } from './mail-limit.js';
import { Media, MEDIA } from './media/media.js';
import { SlackApi } from './media/slack-api.js';

@Module({
  imports: [MembershipModule, EventsModule, AuditModule, CryptoModule, WebPushModule],
  controllers: [ChannelsController],
  providers: [
    ChannelRegistry,
    ChannelSettings,
    ChannelDeliveries,
    ChannelQueue,
    ChannelPacing,
    ChannelReminders,
    ChannelSender,
    ChannelReceiver,
    ChannelsHousekeeping,
    MailLimit,
    Media,
    ...MEDIA,
  ],
  exports: [SlackApi],
})
export class ChannelsModule {}
