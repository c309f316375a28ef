import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AskedEffect } from '#contracts';
import type { Via } from '../approvals/via.js';
import type { ActingMember } from '../membership/member.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import type { SlackChannel } from './slack-channels.js';

const FIND = `
  SELECT u.id, u.email, u.name, m.role FROM slack_links l
    JOIN workspace_members m ON m.workspace_id = l.workspace_id AND m.user_id = l.user_id JOIN users u ON u.id = l.user_id
  WHERE l.channel_id = $1 AND l.slack_user_id = $2`;

const LIMITS = `
  SELECT c.decide_below_risk AS "belowRisk", w.confirm_effects AS "confirmEffects" FROM channels c JOIN workspaces w ON w.id = c.workspace_id
  WHERE c.id = $1 AND EXISTS (SELECT FROM channel_deliveries d WHERE d.channel_id = c.id AND d.subject = $2)`;

/** Locks the channel and the link until the decision is made. */
const HOLD = `
  SELECT c.decide_below_risk AS "belowRisk", EXISTS (
    SELECT FROM channel_deliveries d WHERE d.channel_id = c.id AND d.subject = $4) AS "wasNotified"
  FROM channels c JOIN slack_links l ON l.channel_id = c.id
  WHERE c.id = $1 AND c.is_active AND c.is_bot AND l.slack_user_id = $2 AND l.user_id = $3
  FOR SHARE OF c, l`;

/** An action may be decided if its risk is below this one, and if it does none of these effects. */
interface SlackLimits {
  belowRisk: number | null;
  confirmEffects: AskedEffect[];
}

/** Finds the member behind a Slack user, and what the member may decide in Slack. */
@Injectable()
export class SlackUsers {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** null: the Slack user is not linked with a member. */
  async findMember({ id, workspaceId }: SlackChannel, slackUserId: string): Promise<ActingMember | null> {
    const [found]: Pick<ActingMember, 'id' | 'email' | 'name' | 'role'>[] = await this.source.query(FIND, [
      id,
      slackUserId,
    ]);
    if (found === undefined) return null;
    return { ...found, workspaceId, sessionId: null, token: null, expiresAt: this.clock.now() };
  }

  /** What may be decided in the channel. null: it never got a notification about the action. */
  async limits({ id }: SlackChannel, actionId: string): Promise<SlackLimits | null> {
    const [found]: SlackLimits[] = await this.source.query(LIMITS, [id, actionId]);
    return found ?? null;
  }

  /** The conditions for a decision of a Slack user: the link and the setting of the channel must still apply. */
  via({ id: channelId }: SlackChannel, slackUserId: string): Via {
    return {
      name: 'Slack',
      async assertAllowed(tx: EntityManager, member: ActingMember, action) {
        const values = [channelId, slackUserId, member.id, action.id];
        const [held]: { belowRisk: number | null; wasNotified: boolean }[] = await tx.query(HOLD, values);
        if (held === undefined) throw errors.slackNotLinked();
        if (!held.wasNotified || held.belowRisk === null || action.risk >= held.belowRisk) {
          throw errors.decideInDashboard();
        }
      },
    };
  }
}
