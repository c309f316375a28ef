import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { SlackLink, SlackLinkRequest } from '#contracts';
import { inTransaction, SlackLinkEntity, SlackLinkRequestEntity } from '#database';
import { AuditLog } from '../audit/audit-log.js';
import { Confirmations } from '../auth/confirmations.js';
import { hashOfSecret, newSecret } from '../crypto/shown-once.js';
import type { ActingMember } from '../membership/member.js';
import { HttpConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import type { SlackChannel } from './slack-channels.js';
import type { SlackPerson } from './slack-payload.js';

const MINUTES = 15;

/**
 * A new link replaces the previous one, so a person who presses often leaves one row. The lock keeps the channel until
 * the row is stored.
 */
const ASK = `
  INSERT INTO slack_link_requests (token_hash, channel_id, slack_user_id, slack_name, expires_at)
  SELECT $1, id, $3, $4, now() + make_interval(mins => ${MINUTES}) FROM channels WHERE id = $2 FOR KEY SHARE
  ON CONFLICT (channel_id, slack_user_id) DO UPDATE
    SET token_hash = EXCLUDED.token_hash, slack_name = EXCLUDED.slack_name, expires_at = EXCLUDED.expires_at
  RETURNING channel_id`;

const OPEN = `
  SELECT r.slack_name AS "slackName", r.slack_user_id AS "slackUserId", r.channel_id AS "channelId", c.name AS channel,
    r.expires_at AS "expiresAt"
  FROM slack_link_requests r JOIN channels c ON c.id = r.channel_id
  WHERE r.token_hash = $1 AND c.workspace_id = $2 AND r.expires_at > now()`;

const LINKS = `
  SELECT l.id, l.slack_name AS "slackName", l.slack_user_id AS "slackUserId", l.channel_id AS "channelId", c.name AS channel,
    l.linked_at AS "linkedAt"
  FROM slack_links l JOIN channels c ON c.id = l.channel_id WHERE l.workspace_id = $1 AND l.user_id = $2 ORDER BY l.id`;

type OpenRow = Omit<SlackLinkRequest, 'expiresAt'> & { channelId: number; expiresAt: Date };
type LinkRow = Omit<SlackLink, 'linkedAt'> & { linkedAt: Date };

/** The links between Slack users and members. The database's clock decides when a request for one expires. */
@Injectable()
export class SlackLinks {
  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly confirmations: Confirmations,
    private readonly http: HttpConfig,
  ) {}

  /**
   * The URL that only this Slack user gets. It links nothing until a member opens it and confirms.
   * @throws ApiError 401 if the channel was deleted after the request arrived
   */
  async request({ id, workspaceId }: SlackChannel, person: SlackPerson): Promise<string> {
    const { secret, hash } = newSecret();
    const asked: unknown[] = await this.source.query(ASK, [hash, id, person.id, person.name]);
    if (asked.length === 0) throw errors.notFromSlack();
    return `${this.http.publicUrl ?? ''}/dashboard/settings/notifications?workspace=${workspaceId}#slack=${secret}`;
  }

  /**
   * Returns the details of a link. The link stays usable.
   * @throws ApiError 410
   */
  async view({ workspaceId }: ActingMember, token: string): Promise<SlackLinkRequest> {
    const { slackName, slackUserId, channel, expiresAt } = await open(this.source.manager, OPEN, token, workspaceId);
    return { slackName, slackUserId, channel, expiresAt: expiresAt.toISOString() };
  }

  /**
   * Lets the Slack user decide as the member. The session must be confirmed, as for a new passkey.
   * @throws ApiError 403 `confirmation_required`, 410
   */
  async link(member: ActingMember & { sessionId: string }, token: string, requestId: string): Promise<SlackLink> {
    const { workspaceId, id: userId } = member;
    await open(this.source.manager, OPEN, token, workspaceId);
    await this.confirmations.assertMayAddPasskey(member);
    return inTransaction(this.source, async (tx) => {
      const request = await open(tx, `${OPEN} FOR NO KEY UPDATE OF c, r`, token, workspaceId);
      const { channelId, slackUserId, slackName, channel } = request;
      await tx.delete(SlackLinkRequestEntity, { tokenHash: hashOfSecret(token) });
      await tx.delete(SlackLinkEntity, [
        { channelId, slackUserId },
        { channelId, userId },
      ]);
      const row = { channelId, slackUserId, slackName, workspaceId, userId };
      await tx.insert(SlackLinkEntity, { ...row, linkedAt: () => 'now()' });
      const details = { channel, slackName, slackUserId };
      await this.audit.recordChange(tx, { actor: member, reason: 'slack.linked', details, requestId });
      return (await listLinks(tx, member)).find((link) => link.channelId === channelId)!;
    });
  }

  /** The person's own links. */
  list(member: ActingMember): Promise<SlackLink[]> {
    return listLinks(this.source.manager, member);
  }

  /** @throws ApiError 404 */
  unlink(member: ActingMember, id: number, requestId: string): Promise<void> {
    return inTransaction(this.source, async (tx) => {
      const link = (await listLinks(tx, member)).find((each) => each.id === id);
      const { affected } = await tx.delete(SlackLinkEntity, { id, userId: member.id });
      if (link === undefined || affected !== 1) throw errors.slackLinkNotFound();
      const { channel, slackName, slackUserId } = link;
      const details = { channel, slackName, slackUserId };
      await this.audit.recordChange(tx, { actor: member, reason: 'slack.unlinked', details, requestId });
    });
  }
}

/** @throws ApiError 410 */
async function open(tx: EntityManager, sql: string, token: string, workspaceId: number): Promise<OpenRow> {
  const [found]: OpenRow[] = await tx.query(sql, [hashOfSecret(token), workspaceId]);
  if (found === undefined) throw errors.slackLinkGone();
  return found;
}

async function listLinks(tx: EntityManager, { workspaceId, id }: ActingMember): Promise<SlackLink[]> {
  const rows: LinkRow[] = await tx.query(LINKS, [workspaceId, id]);
  return rows.map((row) => ({ ...row, linkedAt: row.linkedAt.toISOString() }));
}
