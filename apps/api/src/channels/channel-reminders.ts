import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChannelEntity, inTransaction } from '#database';
import { Clock } from '../platform/clock.js';
import { tellOfChannel } from './channel-trouble.js';

const COLUMNS = '(id, channel_id, type, subject, about, risk, people, occurred_at, until, state, next_attempt_at)';
/** The lock leaves out channels that somebody deletes at the same moment. */
const ONCE = 'FOR KEY SHARE OF t ON CONFLICT (subject, channel_id, type) DO NOTHING';
const MOST = 5000;

/** The notification that channel `t` gets about the request `d`, as things are now. */
const values = (
  type: string,
): string => `gen_random_uuid(), t.id, '${type}', d.subject, d.about, d.risk, d.people, date_trunc('milliseconds', now()),
  d.until, CASE t.type WHEN 'webhook' THEN 'pending' ELSE 'waiting' END, now()`;

/** A request that nobody has decided yet, and about which channel `t` has not had this type of notification. */
const open = (type: string): string => `d.type = 'approval.requested' AND d.until > now() AND t.is_active
  AND NOT EXISTS (SELECT FROM channel_deliveries r WHERE r.subject = d.subject AND r.channel_id = t.id AND r.type = '${type}')`;

const REMIND = `
  INSERT INTO channel_deliveries ${COLUMNS} SELECT ${values('approval.reminder')} FROM channel_deliveries d JOIN channels t ON t.id = d.channel_id
  WHERE ${open('approval.reminder')} AND 'approval.reminder' = ANY (t.events)
    AND d.occurred_at + coalesce(make_interval(mins => t.remind_after_minutes), (d.until - d.occurred_at) * 0.8) <= now() LIMIT ${MOST} ${ONCE}`;

/** The other channel gets it regardless of its chosen events, because it was chosen for escalations. */
const ESCALATE = `
  INSERT INTO channel_deliveries ${COLUMNS} SELECT n.* FROM (
    SELECT DISTINCT ON (t.id, d.subject) ${values('approval.escalated')}
    FROM channel_deliveries d JOIN channels c ON c.id = d.channel_id JOIN channels t ON t.id = c.escalate_to
    WHERE ${open('approval.escalated')} AND c.is_active AND d.occurred_at + make_interval(mins => c.escalate_after_minutes) <= now() LIMIT ${MOST}
  ) n ${COLUMNS} JOIN channels t ON t.id = n.channel_id ${ONCE}`;

/** Withdraws notifications whose requests were decided or expired before they were sent. */
const WITHDRAW = `
  UPDATE channel_deliveries d SET state = 'withdrawn', next_attempt_at = NULL, claim_id = NULL
  FROM channels c WHERE c.id = d.channel_id AND c.type <> 'webhook' AND d.state IN ('waiting', 'pending') AND d.until <= now()
    AND (d.claim_id IS NULL OR d.next_attempt_at <= now())`;

/** Once for each due date: of several instances, only one changes the reminder. */
const CREDENTIALS_DUE = `
  WITH due AS (
    SELECT s.id, s.workspace_id, s.name, s.credentials_rotated_at + s.rotate_every_days * interval '24 hours' AS due_at FROM services s
    WHERE s.credentials_rotated_at + s.rotate_every_days * interval '24 hours' <= now() AND NOT EXISTS (
      SELECT FROM credential_reminders r WHERE r.service_id = s.id AND r.due_at = s.credentials_rotated_at + s.rotate_every_days * interval '24 hours')
  ), reminded AS (
    INSERT INTO credential_reminders AS r (service_id, due_at) SELECT id, due_at FROM due
    ON CONFLICT (service_id) DO UPDATE SET due_at = excluded.due_at WHERE r.due_at <> excluded.due_at
    RETURNING service_id
  )
  SELECT tell_channels(due.workspace_id, 'credential.due', format('credentials %s %s', due.id, due.due_at),
    jsonb_build_object('serviceId', due.id, 'service', due.name, 'dueAt', due.due_at), now(), NULL)
  FROM due JOIN reminded ON reminded.service_id = due.id`;

const FAILED_FOR_A_DAY = `
  UPDATE channels SET failure_told_at = now()
  WHERE is_active AND failure_told_at IS NULL AND failing_since <= now() - interval '1 day' RETURNING id, name`;

/**
 * Notifications that only the passing of time causes: reminders, escalations, credentials that are due. Can run on
 * several instances at the same time: each step is one conditional statement. See
 * docs/reference/notifications.md#reminders.
 */
@Injectable()
export class ChannelReminders {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.source.query(WITHDRAW);
    await this.source.query(REMIND);
    await this.source.query(ESCALATE);
    await this.source.query(CREDENTIALS_DUE);
    await this.tellFailures();
  }

  private tellFailures(): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const [failed]: [Pick<ChannelEntity, 'id' | 'name'>[], number] = await tx.query(FAILED_FOR_A_DAY);
      for (const channel of failed) {
        await tellOfChannel(tx, 'channel.failing', channel, 'Every attempt has failed for a day', this.clock.now());
      }
    });
  }
}
