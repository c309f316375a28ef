import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { isAtLeast, type Role } from '#contracts';
import { PERSONAL_CHANNEL_TYPES, type ChannelType } from '#contracts/channel-states';
import { IsNull } from 'typeorm';
import { ChannelEntity } from '#database';
import type { ActingMember } from '../membership/member.js';
import { errors } from '../platform/errors.js';

const PERSONAL: ReadonlySet<string> = new Set(PERSONAL_CHANNEL_TYPES);

/**
 * The owner of a channel of this type: the person, or null for the workspace.
 * @throws ApiError 403
 */
export function channelOwner(member: ActingMember, type: ChannelType): number | null {
  if (!isAtLeast(member.role, roleFor(type))) throw errors.roleTooLow(member.role);
  return PERSONAL.has(type) ? member.id : null;
}

/** Who may have a channel of this type. */
export const roleFor = (type: ChannelType): Role => (PERSONAL.has(type) ? 'approver' : 'admin');

/** The channels that a person sees and manages: the person's own, and, as an administrator, those of the workspace. */
export function visibleTo({ id: userId, workspaceId, role }: ActingMember): FindOptionsWhere<ChannelEntity>[] {
  const own = { workspaceId, userId };
  return isAtLeast(role, 'admin') ? [own, { workspaceId, userId: IsNull() }] : [own];
}

/** The channel, locked until the transaction ends. @throws ApiError 404 */
export async function lockChannel(tx: EntityManager, member: ActingMember, id: number): Promise<ChannelEntity> {
  const channel = await tx.findOne(ChannelEntity, {
    where: visibleTo(member).map((where) => ({ ...where, id })),
    lock: { mode: 'for_no_key_update' },
  });
  if (channel === null) throw errors.channelNotFound();
  return channel;
}
