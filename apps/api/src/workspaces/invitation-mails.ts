import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  INVITATION_MAILS_PER_ADDRESS_MAX,
  INVITATION_MAILS_PER_INVITER_MAX,
  INVITATION_MAILS_PER_WORKSPACE_MAX,
} from '#contracts/limits';
import { CredentialCipher } from '../crypto/credential-cipher.js';
import { EventHub } from '../events/event-hub.js';
import { DeliveryLoop } from '../outbox/delivery-loop.js';
import { DeliveryTable } from '../outbox/delivery-table.js';
import { unsent, type Attempt, type Claimed } from '../outbox/delivery.js';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { HttpConfig } from '../platform/config.js';
import { Log } from '../platform/logging.js';
import { Mailer, MailError } from '../platform/mailer.js';
import { invitationTokenBinding } from './encrypted-tokens.js';
import { invitationMail, type InvitationText } from './invitation-mail-text.js';

type ClaimedMail = Claimed & Omit<InvitationText, 'url'> & { encryptedToken: string };

const MAILS = {
  table: 'invitation_mails',
  receiver: 'invitation_id',
  joins: `JOIN invitations i ON i.id = d.invitation_id JOIN workspaces w ON w.id = i.workspace_id LEFT JOIN users u ON u.id = i.invited_by`,
  sendable: `i.accepted_at IS NULL AND i.expires_at > now()`,
  columns: `d.encrypted_token AS "encryptedToken", i.email, i.role, i.expires_at AS "expiresAt", w.name AS workspace, u.name AS inviter`,
  // Deletes the token as soon as it is no longer needed.
  atEnd: `encrypted_token = CASE WHEN $3 = 'pending' THEN encrypted_token END`,
};

/** Adds a mail only within the limits of a day, so that nobody can make the gateway flood others with mail. */
const ADD = `
  INSERT INTO invitation_mails (invitation_id, id, workspace_id, email, encrypted_token, invited_by, occurred_at, state, next_attempt_at)
  SELECT $1, $2, $3, $4, $5, $6, now(), 'pending', now() FROM (
    SELECT count(*) FILTER (WHERE workspace_id = $3) AS here, count(*) FILTER (WHERE lower(email) = lower($4)) AS there,
      count(*) FILTER (WHERE invited_by = $6) AS mine
    FROM invitation_mails
    WHERE occurred_at > now() - interval '1 day' AND (workspace_id = $3 OR lower(email) = lower($4) OR invited_by = $6)
  ) sent WHERE here < ${INVITATION_MAILS_PER_WORKSPACE_MAX} AND there < ${INVITATION_MAILS_PER_ADDRESS_MAX}
    AND mine < ${INVITATION_MAILS_PER_INVITER_MAX}
  RETURNING id`;

/**
 * Locks that serialise the counts of mails to an address and from a person, so that concurrent invitations can't exceed
 * a limit.
 */
const ONE_BY_ONE = [
  `SELECT pg_advisory_xact_lock(hashtextextended('invitation mails of ' || $1::int, 0))`,
  `SELECT pg_advisory_xact_lock(hashtextextended('invitation mails to ' || lower($1), 0))`,
];

/** Sends invitations by mail, on every instance (docs/reference/workspaces.md#invitations). */
@Injectable()
export class InvitationMails extends DeliveryLoop<ClaimedMail> {
  protected readonly name = 'invitation mail';

  constructor(
    source: DataSource,
    private readonly cipher: CredentialCipher,
    private readonly mailer: Mailer,
    private readonly http: HttpConfig,
    clock: Clock,
    hub: EventHub,
    background: BackgroundWork,
    log: Log,
  ) {
    super(new DeliveryTable(source, clock, MAILS), hub, background, log);
  }

  /** Queues the mail in the transaction that makes the invitation. @returns whether it will be mailed */
  async add(
    tx: EntityManager,
    { id, workspaceId, email, invitedBy }: { id: number; workspaceId: number; email: string; invitedBy: number },
    token: string,
  ): Promise<boolean> {
    // Without PUBLIC_URL, the gateway does not know the link's host.
    if (!this.mailer.isConfigured || this.http.publicUrl === null) return false;
    const encrypted = this.cipher.encrypt(token, invitationTokenBinding(id));
    await tx.query(ONE_BY_ONE[0], [invitedBy]);
    await tx.query(ONE_BY_ONE[1], [email]);
    const added: unknown[] = await tx.query(ADD, [id, randomUUID(), workspaceId, email, encrypted, invitedBy]);
    return added.length > 0;
  }

  invitationUrl(token: string): string {
    return `${this.http.publicUrl ?? ''}/dashboard/invitations#${token}`;
  }

  async attempt({ id, receiverId, encryptedToken, ...text }: ClaimedMail): Promise<Attempt> {
    let token: string;
    try {
      token = this.cipher.decrypt(encryptedToken, invitationTokenBinding(receiverId));
    } catch {
      // ENCRYPTION_SECRET has changed.
      return unsent('the link cannot be decrypted: invite the person again');
    }
    try {
      const mail = invitationMail({ ...text, url: this.invitationUrl(token) });
      const status = await this.mailer.send({ id, to: text.email, ...mail });
      return { status, error: null, retryAfterMs: null };
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      return { status: error.status, error: error.message, retryAfterMs: null, isGone: false };
    }
  }
}
