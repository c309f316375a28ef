import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CHANNEL_MAILS_PER_HOUR_MAX } from '#contracts/limits';

const HOUR = `interval '1 hour'`;

/** Counts a mail, unless the limit is reached. */
const TAKE = `
  INSERT INTO channel_mails AS m (user_id, began_at, count) VALUES ($1, now(), 1)
  ON CONFLICT (user_id) DO UPDATE SET count = CASE WHEN m.began_at <= now() - ${HOUR} THEN 1 ELSE m.count + 1 END,
    began_at = CASE WHEN m.began_at <= now() - ${HOUR} THEN now() ELSE m.began_at END
  WHERE m.began_at <= now() - ${HOUR} OR m.count < ${CHANNEL_MAILS_PER_HOUR_MAX} RETURNING user_id`;

const LEFT = `
  SELECT greatest(0, extract(epoch FROM began_at + ${HOUR} - now()) * 1000)::float8 AS ms FROM channel_mails WHERE user_id = $1`;

/**
 * Limits the mails to the address of one account, over all its channels and workspaces, tests included. The address may
 * belong to somebody else. Without this limit, anybody who may register could make the gateway flood others.
 */
@Injectable()
export class MailLimit {
  constructor(private readonly source: DataSource) {}

  /** @returns the milliseconds until the next mail may go; null: this one may */
  async take(userId: number): Promise<number | null> {
    const taken: unknown[] = await this.source.query(TAKE, [userId]);
    if (taken.length > 0) return null;
    const [left]: { ms: number }[] = await this.source.query(LEFT, [userId]);
    return Math.ceil(left?.ms ?? 0);
  }
}
