import { Injectable } from '@nestjs/common';
import type { Attempt } from '../../outbox/delivery.js';
import { errors } from '../../platform/errors.js';
import { mailPage } from '../../platform/mail-page.js';
import { Mailer, MailError } from '../../platform/mailer.js';
import { escapeHtml, unlinked } from '../../platform/plain-text.js';
import type { Notice } from './notice.js';
import type { CheckedTarget, Destination, Entered, Medium } from './medium.js';

/** Mail to the address of the channel's owner, and to no other. */
@Injectable()
export class EmailMedium implements Medium {
  readonly type = 'email';

  constructor(private readonly mailer: Mailer) {}

  check({ target }: Entered, email: string): Promise<CheckedTarget> {
    if (target !== undefined) throw errors.invalid('target: e-mail goes to the address of your account; leave it out');
    if (!this.mailer.isConfigured)
      throw errors.invalid('type: this gateway sends no mail; the operator must set SMTP_URL');
    return Promise.resolve({ target: null, hint: masked(email) });
  }

  async send({ email }: Destination, notice: Notice): Promise<Attempt> {
    try {
      const status = await this.mailer.send({ id: notice.id, to: email!, ...toMail(notice) });
      return { status, error: null, retryAfterMs: null };
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      return { status: error.status, error: error.message, retryAfterMs: null, isGone: false };
    }
  }
}

/** `ada@example.com` as `a…@example.com`. */
const masked = (email: string): string => `${email.slice(0, 1)}…${email.slice(email.lastIndexOf('@'))}`;

/** Writes a notification as text and as HTML. */
export function toMail({ title, quote, facts, link, linkText }: Notice): {
  subject: string;
  text: string;
  html: string;
} {
  const said = quote === null ? null : unlinked(quote);
  const rows = facts.map(([label, value]) => [label, unlinked(value)]);
  const text = [
    title,
    ...(said === null ? [] : ['', `> ${said}`]),
    '',
    ...rows.map(([label, value]) => `${label}: ${value}`),
    ...(link === null ? [] : ['', `${linkText}: ${link}`]),
    '',
    FOOTER,
  ].join('\n');
  const table = rows.map(
    ([label, value]) => `<tr><th align="left" scope="row">${label}&nbsp;</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const html = mailPage(
    title,
    [
      `<p><strong>${escapeHtml(title)}</strong></p>`,
      ...(said === null ? [] : [`<blockquote>${escapeHtml(said)}</blockquote>`]),
      `<table role="presentation" cellpadding="2">${table.join('')}</table>`,
      ...(link === null ? [] : [`<p><a href="${escapeHtml(link)}">${linkText}</a></p>`]),
    ],
    FOOTER,
  );
  return { subject: said === null ? title : `${title}: ${said}`, text, html };
}

const FOOTER =
  'Agent Gateway. You can’t approve or deny from this e-mail: log in to decide. Change your notifications under Settings, Notifications.';
