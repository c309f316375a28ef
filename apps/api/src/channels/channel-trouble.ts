import type { EntityManager } from 'typeorm';
import type { ChannelEntity } from '#database';

/** The other channels of a channel's owner: a person, or the administrators of a workspace. */
const TELL = `
  INSERT INTO channel_deliveries (id, channel_id, type, subject, about, occurred_at, state, next_attempt_at)
  SELECT gen_random_uuid(), o.id, $2, $3, $4, $5, CASE o.type WHEN 'webhook' THEN 'pending' ELSE 'waiting' END, now()
  FROM channels c JOIN channels o ON o.workspace_id = c.workspace_id AND o.id <> c.id AND o.is_active
    LEFT JOIN workspace_members m ON m.workspace_id = o.workspace_id AND m.user_id = o.user_id
  WHERE c.id = $1 AND CASE WHEN c.user_id IS NULL THEN o.user_id IS NULL OR m.role IN ('admin', 'owner') ELSE o.user_id = c.user_id END
  FOR KEY SHARE OF o ON CONFLICT (subject, channel_id, type) DO NOTHING`;

/** Tells the owner of a channel, by the owner's other channels, that it does not work. */
export async function tellOfChannel(
  tx: EntityManager,
  type: 'channel.disabled' | 'channel.failing',
  { id, name }: Pick<ChannelEntity, 'id' | 'name'>,
  reason: string,
  at: Date,
): Promise<void> {
  const about = { channel: name, reason };
  await tx.query(TELL, [id, type, `channel ${id} ${at.toISOString()}`, about, at]);
}
