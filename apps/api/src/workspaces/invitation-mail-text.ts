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
  'You get this mail because somebody entered your address in Agent Gateway. If you don’t expect it, ignore it: without the link nothing happens.';

export function invitationMail(invitation: InvitationText): { subject: string; text: string; html: string } {
  const { role, url, expiresAt } = invitation;
  const workspace = `“${unlinked(invitation.workspace, NAME_MAX)}”`;
  const who = invitation.inviter === null ? 'Somebody' : unlinked(invitation.inviter, NAME_MAX);
  const said = `${who} invites you to the workspace ${workspace} of Agent Gateway. Your role: ${role}.`;
  const until = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const terms = `The link is for ${unlinked(invitation.email)} only. It works once, until ${until}. Don’t pass it on.`;
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
