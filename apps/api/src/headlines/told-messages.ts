import { decodedText } from '#contracts/encoded-text';
import { readMail, type MailText } from '#contracts/mail-text';
import type { ValueList } from './named-values.js';
import { joined, name, placeOf, textOf, valueOf, type PlainRequest, type ToldAct } from './told-act.js';
import { showText, showValue } from './value-texts.js';

/** How many characters of a message. */
const TEXT_MAX = 50;

/** The last step of a path where messages are sent, and how people say it. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^(?:comments?|replies|notes)(?:\.json)?$/i, 'Comment on'],
  [/^(?:chat\.(?:post\w*|update|meMessage))$/i, 'Post to'],
  [/^(?:messages?|sendmessage|sendmail|send|mail|emails?|sms)(?:\.json)?$/i, 'Send to'],
];
const RECIPIENTS = [
  'channel',
  'channel_id',
  'chat_id',
  'to',
  'to.email',
  'to.address',
  'recipient',
  'recipients',
  'message.torecipients.emailaddress.address',
  'personalizations.to.email',
  'personalizations.to',
];
const TEXTS = [
  'subject',
  'text',
  'body',
  'content',
  'message',
  'body.content',
  'message.subject',
  'text.body',
  'textbody',
  'comment.body',
  'html',
];

/** `Post to #general: “the beginning”`, `Comment on issue 7 of repo acme/shop: …` */
export function tellMessage(request: PlainRequest): ToldAct | null {
  const last = request.steps.at(-1)?.text ?? '';
  const verb = MESSAGES.find(([pattern]) => pattern.test(last))?.[1];
  if (request.method !== 'POST' || verb === undefined) return null;
  const text = TEXTS.map((each) => valueOf(request, each)).find((each) => textOf(each) !== null);
  if (!text) return null;
  const to = verb === 'Comment on' ? undefined : valueOf(request, ...RECIPIENTS);
  const place = placeOf(request);
  const where = to ? showValue(to.value) : place;
  if (where === null) return null;
  const said = [verb === 'Send to' && !to ? 'Post to' : verb, ' ', where, ': '];
  const told = joined([...said, showText(textOf(text)!, TEXT_MAX)], to ? [to, text] : [text]);
  // The account that sends it, for example.
  return to && place ? { ...told, isWhole: false } : told;
}

/** Fields that have a whole mail in base64: of Gmail and of Amazon SES. */
const MAILS = ['raw', 'message.raw', 'content.raw.data', 'rawmessage.data'];
const SENT = /(?:^|\/)(?:(?:messages|drafts)\/send|outbound-emails)$/;
const DRAFTED = /(?:^|\/)users\/[^/]+\/drafts(?:\/[^/]+)?$/;

/** `Send a mail to ada@example.com: “Your invoice”` */
export function tellMail(request: PlainRequest): ToldAct | null {
  const path = request.steps.map(({ text }) => text).join('/');
  const verb = SENT.test(path) ? 'Send a mail' : DRAFTED.test(path) ? 'Draft a mail' : null;
  const raw = verb === null ? undefined : valueOf(request, ...MAILS);
  const mail = mailIn(textOf(raw) ?? '');
  if (verb === null || raw === undefined || mail === null) return null;
  const user = /(?:^|\/)users\/([^/]+)/.exec(path)?.[1] ?? 'me';
  const sender = user === 'me' ? [] : [' as ', name(user)];
  const [subject] = mail.headers.filter((header) => header.name === 'subject');
  const about = subject ? [': ', showText(subject.value, TEXT_MAX)] : [];
  const told = joined([verb, ...sender, ' to ', showValue(receiversOf(mail)), ...about], [raw]);
  // It has no text, and no files.
  return { ...told, isWhole: false };
}

/** A mail whose receivers and subject every program reads alike. */
function mailIn(encoded: string): MailText | null {
  const decoded = decodedText(encoded);
  const mail = decoded && readMail(decoded.text);
  if (!mail || (!decoded.isWhole && mail.content === '')) return null;
  return mail.headers.filter((header) => header.name === 'subject').length > 1 ? null : mail;
}

function receiversOf({ headers }: MailText): string | ValueList {
  const items = headers
    .filter((header) => ['to', 'cc', 'bcc'].includes(header.name))
    .flatMap(({ raw }) => addressesIn(raw));
  return items.length === 1 ? items[0] : { empty: '[]', count: items.length, items, isAll: true };
}

const ADDRESS = /^[^\s<>@,;:"()\\]+@[^\s<>@,;:"()\\]+$/;

/** The addresses without the names beside them, which can be those of others. All of it, if it is not that simple. */
function addressesIn(value: string): string[] {
  // Comments and escapes can hide an address from some programs.
  if (/[()\\]/.test(value)) return [value];
  const found = value
    .replace(/"[^"\\]*"/g, '')
    .split(',')
    .map((part) => (/^[^<>]*<([^<>]*)>\s*$/.exec(part)?.[1] ?? part).trim());
  return found.every((each) => ADDRESS.test(each)) ? found : [value];
}
