import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import {
  isAtLeast,
  type Channel,
  type CreateChannelRequest,
  type CreatedChannel,
  type RotatedChannelSecret,
  type UpdateChannelRequest,
} from '#contracts';
import { CHANNELS_PER_PERSON_MAX, CHANNELS_PER_WORKSPACE_MAX } from '#contracts/limits';
import {
  ChannelDeliveryEntity,
  ChannelEntity,
  inTransaction,
  SlackLinkEntity,
  SlackLinkRequestEntity,
} from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import type { ActingMember } from '../membership/member.js';
import { rotated } from '../outbox/signing-secrets.js';
import { newSigningSecret } from '../outbox/webhook-signature.js';
import { Confirmations } from '../auth/confirmations.js';
import { Clock } from '../platform/clock.js';
import { HttpConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import type { ChangeAuthor } from '../membership/change-author.js';
import { lockWorkspace } from '../membership/locked-workspace.js';
import { lockChannel, channelOwner, roleFor, visibleTo } from './channel-access.js';
import { toChannel } from './channel-mapper.js';
import { ChannelQueue } from './channel-queue.js';
import { ChannelSettings } from './channel-settings.js';
import { channelBinding } from './encrypted-targets.js';
import { Media } from './media/media.js';
import type { CheckedTarget } from './media/medium.js';

/** The last notification of each channel that was attempted. */
const LAST = `
  SELECT DISTINCT ON (channel_id) id FROM channel_deliveries WHERE channel_id = ANY ($1) AND last_attempt_at IS NOT NULL
  ORDER BY channel_id, last_attempt_at DESC`;

/** The channels of a workspace and of its members (docs/notifications.md). */
@Injectable()
export class ChannelRegistry {
  constructor(
    private readonly source: DataSource,
    private readonly queue: ChannelQueue,
    private readonly media: Media,
    private readonly settings: ChannelSettings,
    private readonly cipher: CredentialCipher,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
    private readonly clock: Clock,
    private readonly http: HttpConfig,
  ) {}

  async list(member: ActingMember): Promise<Channel[]> {
    const { manager } = this.source;
    const channels = await manager.find(ChannelEntity, { where: visibleTo(member), order: { id: 'ASC' } });
    return this.shown(manager, channels);
  }

  /** @throws ApiError 404 */
  async get(member: ActingMember, id: number): Promise<Channel> {
    const { manager } = this.source;
    const channel = await manager.findOneBy(
      ChannelEntity,
      visibleTo(member).map((where) => ({ ...where, id })),
    );
    if (channel === null) throw errors.channelNotFound();
    return (await this.shown(manager, [channel]))[0];
  }

  /** @throws ApiError 400, 403, 404, 409 */
  async create({ actor, requestId }: ChangeAuthor, request: CreateChannelRequest): Promise<CreatedChannel> {
    const { type, name } = request;
    assertFieldsMatchType(type, request);
    const userId = channelOwner(actor, type);
    // Asks name servers, so it comes before the transaction.
    const checked = await this.media.of(type).check(request, actor.email);
    return inTransaction(this.source, async (tx) => {
      await lockWorkspace(tx, actor, roleFor(type));
      await assertRoom(tx, actor.workspaceId, userId);
      const settings = await this.settings.of(tx, actor, { type, isBot: checked.bot !== undefined }, request, null);
      if (settings.decideBelowRisk !== null) await this.confirmations.assertMayWeaken(tx, actor);
      const [{ id }]: { id: number }[] = await tx.query(
        `SELECT nextval(pg_get_serial_sequence('channels', 'id'))::integer AS id`,
      );
      const now = this.clock.now();
      const secret = checked.hasSecret === true ? newSigningSecret() : null;
      const own = secret && { encryptedSecret: this.cipher.encrypt(secret, channelBinding(id)) };
      await tx.insert(ChannelEntity, {
        ...settings,
        ...this.targetColumns(id, checked),
        ...own,
        id,
        workspaceId: actor.workspaceId,
        userId,
        createdBy: actor.id,
        type,
        name,
        createdAt: now,
        updatedAt: now,
      });
      const details = { channel: name, type, to: settings };
      await this.audit.recordChange(tx, { actor, reason: 'channel.created', details, requestId });
      return { ...(await this.read(tx, id)), secret };
    });
  }

  /** @throws ApiError 400, 403, 404 */
  async update({ actor, requestId }: ChangeAuthor, id: number, request: UpdateChannelRequest): Promise<Channel> {
    const { type } = await this.get(actor, id);
    assertFieldsMatchType(type, request);
    const checked = hasTarget(request) ? await this.media.of(type).check(request, actor.email) : null;
    return inTransaction(this.source, async (tx) => {
      // The person may have lost the role while a name server answered.
      await lockWorkspace(tx, actor, roleFor(type));
      const before = await lockChannel(tx, actor, id);
      const isBot = checked === null ? before.isBot : checked.bot !== undefined;
      if (checked !== null) await forgetSlackUsers(tx, id);
      // A person who knows the signing secret could decide as others. So the buttons stay only if an owner changes the
      // secret.
      const keepsButtons = checked === null || isAtLeast(actor.role, 'owner');
      const base = keepsButtons ? before : { ...before, decideBelowRisk: null };
      // A request that repeats the stored risk does not ask for buttons.
      const isSame = !keepsButtons && request.decideBelowRisk === before.decideBelowRisk;
      const asked = isSame ? { ...request, decideBelowRisk: null } : request;
      const settings = await this.settings.of(tx, actor, { type, isBot }, asked, base);
      if (settings.decideBelowRisk !== null) await this.confirmations.assertMayWeaken(tx, actor);
      const name = request.name ?? before.name;
      // A person who switches the channel on again has seen the reason.
      const cleared = settings.isActive ? { disabledReason: null } : {};
      await tx.update(
        ChannelEntity,
        { id },
        { ...settings, ...cleared, ...(checked && this.targetColumns(id, checked)), name, updatedAt: this.clock.now() },
      );
      if (!settings.isActive) await this.queue.giveUp(tx, id, 'The channel was switched off');
      else if (checked !== null) await tx.update(ChannelEntity, { id }, { failingSince: null, failureToldAt: null });
      const from = Object.fromEntries(Object.keys(settings).map((key) => [key, before[key as keyof typeof settings]]));
      const details = {
        channel: name,
        type,
        from: { name: before.name, ...from },
        to: { name, ...settings },
        newTarget: checked !== null,
      };
      await this.audit.recordChange(tx, { actor, reason: 'channel.updated', details, requestId });
      return this.read(tx, id);
    });
  }

  /**
   * Removes the channel and its deliveries. Notifications that were not sent yet are never sent.
   * @throws ApiError 404
   */
  delete({ actor, requestId }: ChangeAuthor, id: number): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const { name, type } = await lockChannel(tx, actor, id);
      await tx.delete(ChannelEntity, { id });
      await this.audit.recordChange(tx, {
        actor,
        reason: 'channel.deleted',
        details: { channel: name, type },
        requestId,
      });
    });
  }

  /**
   * Only this response contains the new secret. For a day, notifications are signed with both.
   * @throws ApiError 404, 409
   */
  rotateSecret({ actor, requestId }: ChangeAuthor, id: number): Promise<RotatedChannelSecret> {
    const secret = newSigningSecret();
    return inTransaction(this.source, async (tx) => {
      const { name, type, encryptedSecret } = await lockChannel(tx, actor, id);
      if (type !== 'webhook') throw errors.noChannelSecret();
      const change = rotated(this.cipher.encrypt(secret, channelBinding(id)), encryptedSecret, this.clock.now());
      await tx.update(ChannelEntity, { id }, change);
      const { previousSecretExpiresAt } = change;
      const details = { channel: name, type, previousSecretExpiresAt };
      await this.audit.recordChange(tx, { actor, reason: 'channel.secret_rotated', details, requestId });
      return { ...(await this.read(tx, id)), secret };
    });
  }

  private targetColumns(id: number, { target, hint, hasSecret, bot }: CheckedTarget) {
    const encrypt = (text: string | null) => text && this.cipher.encrypt(text, channelBinding(id));
    return {
      encryptedTarget: encrypt(target),
      targetHint: hint,
      isBot: bot !== undefined,
      // A signing secret that the gateway created stays when the target changes.
      ...(hasSecret === true ? {} : { encryptedSecret: encrypt(bot?.signingSecret ?? null) }),
    };
  }

  private async read(tx: EntityManager, id: number): Promise<Channel> {
    return (await this.shown(tx, [await tx.findOneByOrFail(ChannelEntity, { id })]))[0];
  }

  private async shown(tx: EntityManager, channels: ChannelEntity[]): Promise<Channel[]> {
    const ids: { id: string }[] = await tx.query(LAST, [channels.map(({ id }) => id)]);
    // With an empty list, the query would find every row.
    const last = ids.length === 0 ? [] : await tx.findBy(ChannelDeliveryEntity, ids);
    const byChannel = new Map(last.map((delivery) => [delivery.channelId, delivery]));
    const now = { nowMs: this.clock.nowMs(), publicUrl: this.http.publicUrl };
    return channels.map((channel) => toChannel(channel, byChannel.get(channel.id) ?? null, now));
  }
}

/** Members who were linked to one app did not agree to decide by another one. */
async function forgetSlackUsers(tx: EntityManager, channelId: number): Promise<void> {
  await tx.delete(SlackLinkEntity, { channelId });
  await tx.delete(SlackLinkRequestEntity, { channelId });
}

const BOT_FIELDS = ['botToken', 'signingSecret', 'slackChannel'] as const;

const hasTarget = (request: UpdateChannelRequest): boolean =>
  [request.target, request.subscription, ...BOT_FIELDS.map((field) => request[field])].some(
    (each) => each !== undefined,
  );

/** @throws ApiError 400 for a field of another type of channel */
function assertFieldsMatchType(type: string, request: CreateChannelRequest | UpdateChannelRequest): void {
  const field = type === 'slack' ? undefined : BOT_FIELDS.find((each) => request[each] !== undefined);
  if (field !== undefined) throw errors.invalid(`${field}: only channels of type slack have this field`);
  if (type !== 'webpush' && request.subscription !== undefined) {
    throw errors.invalid('subscription: only channels of type webpush have this field');
  }
}

/**
 * Call it under the lock of the workspace, so that two requests can't both create the last channel that is allowed.
 * @throws ApiError 409
 */
async function assertRoom(tx: EntityManager, workspaceId: number, userId: number | null): Promise<void> {
  const most = userId === null ? CHANNELS_PER_WORKSPACE_MAX : CHANNELS_PER_PERSON_MAX;
  const count = await tx.countBy(ChannelEntity, { workspaceId, userId: userId ?? IsNull() });
  if (count >= most) throw errors.tooManyChannels(most);
}
