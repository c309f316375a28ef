import type { Role } from '#contracts';
import { mailPage } from '../platform/mail-page.js';
import { escapeHtml, unlinked } from '../platform/plain-text.js';

/** The content of an invitation mail. The names are written by others. */
export interface InvitationText {
  workspace: string;
  /** null: the account no longer exists. */
  inviter: string | null;
  role: Role;
  email: string;
  expiresAt: Date;
  /** The link with the token. */
  url: string;
}

const NAME_MAX = 100;
const FOOT =
  'You received this e-mail because somebody invited you to Agent Gateway. If you did not expect it, you can ignore it.';

export function invitationMail(invitation: InvitationText): { subject: string; text: string; html: string } {
  const { role, url, expiresAt } = invitation;
  const workspace = `“${unlinked(invitation.workspace, NAME_MAX)}”`;
  const who = invitation.inviter === null ? 'Somebody' : unlinked(invitation.inviter, NAME_MAX);
  const said = `${who} invited you to the workspace ${workspace} in Agent Gateway. Your role: ${role}.`;
  const until = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const terms = `The link is for ${unlinked(invitation.email)} only. It works once, and expires at ${until}. Don’t share it.`;
  const subject = `Invitation to the workspace ${workspace}`;
  return {
    subject,
    text: [said, '', `Accept the invitation: ${url}`, '', terms, '', FOOT].join('\n'),
    html: mailPage(
      subject,
      [
        `<p>${escapeHtml(said)}</p>`,
        `<p><a href="${escapeHtml(url)}">Accept the invitation</a></p>`,
        `<p>${escapeHtml(terms)}</p>`,
      ],
      FOOT,
    ),
  };
}
