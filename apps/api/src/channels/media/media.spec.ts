import fc from 'fast-check';
import { toMail } from './email.js';
import { discordMessage } from './discord.js';
import { ntfyMessage } from './ntfy.js';
import { slackMessage } from './slack-message.js';
import { teamsMessage } from './teams.js';
import { oneLine, unlinked } from '../../platform/plain-text.js';
import type { Notice } from './notice.js';

const PIECES = [
  '<!channel>',
  '<@U123>',
  '@everyone',
  '@here',
  '<https://evil.example|click>',
  'https://evil.example/x',
  'evil.example',
  '[click](https://evil.example)',
  '**bold**',
  '`code`',
  '```',
  '# head',
  '> quote',
  '<b onclick="x">',
  '</blockquote><script>',
  '&amp;',
  '\r\nBcc: mallory@example.com',
  '\u202Egnirts',
  '\u2066hidden\u2069',
  'zero\u200Bwidth',
  '\u0000',
  '\uD800',
  'Löschen 顧客 😀',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { maxLength: 8 })
  .map((all) => all.join(' '));

const makeNotice = (quote: string, value: string): Notice => ({
  id: '00000000-0000-4000-8000-000000000000',
  type: 'approval.requested',
  at: new Date(0),
  title: 'High risk: a request is waiting for approval',
  quote,
  facts: [['Agent', value]],
  linkText: 'Review and decide',
  link: 'https://gateway.example.com/dashboard/approvals/1?workspace=1',
  risk: 0.7,
  actionId: null,
  data: {},
});

/** Text in which programs would find links or mentions. */
const LINKABLE = /:\/\/|[a-z0-9]\.[a-z]{2}|@[a-z]/i;
const BAD = /[\p{Cc}\p{Cs}\p{Co}\u200B\u202A-\u202E\u2066-\u2069\u2028\u2029]/u;

describe('a text that others wrote', () => {
  it('is one line, without characters that hide or reverse text, and not longer than its limit', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(oneLine(text)).not.toMatch(BAD);
        expect(Array.from(oneLine(text, 50)).length).toBeLessThanOrEqual(50);
      }),
    );
  });

  it('keeps its ordinary words', () => {
    expect(oneLine('Löschen 顧客 😀 (42), 50 %')).toBe('Löschen 顧客 😀 (42), 50 %');
    expect(unlinked('Delete customer 42')).toBe('Delete customer 42');
  });

  it('is not a link or a mention in any medium', () => {
    fc.assert(fc.property(hostile, (text) => expect(unlinked(text)).not.toMatch(LINKABLE)));
  });

  it('appears in Slack only where Slack applies no formatting', () => {
    fc.assert(
      fc.property(hostile, hostile, (quote, value) => {
        const plain = slackMessage(makeNotice('', '')) as {
          text: string;
          blocks: { text?: { type: string; text: string } }[];
        };
        const message = slackMessage(makeNotice(quote, value)) as typeof plain;
        expect(message.text).toBe(plain.text);
        const marked = (blocks: typeof plain.blocks) =>
          blocks.flatMap(({ text }) => (text?.type === 'mrkdwn' ? [text.text] : []));
        expect(marked(message.blocks)).toEqual(marked(plain.blocks));
      }),
    );
  });

  it('appears in Discord only in inline code that it cannot end, and mentions nobody', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { allowed_mentions: mentions, embeds } = discordMessage(makeNotice(text, text)) as {
          allowed_mentions: object;
          embeds: { description: string; fields: { value: string }[] }[];
        };
        expect(mentions).toEqual({ parse: [] });
        for (const code of [embeds[0].description, embeds[0].fields[0].value]) expect(code).toMatch(/^`[^`\n]+`$/);
      }),
    );
  });

  it('appears in Teams only in text runs, where Teams applies no formatting', () => {
    const kinds = (value: unknown): string[] =>
      typeof value !== 'object' || value === null
        ? []
        : [String((value as { type?: string }).type ?? ''), ...Object.values(value).flatMap(kinds)];
    fc.assert(
      fc.property(hostile, (text) => {
        expect(new Set(kinds(teamsMessage(makeNotice(text, text))))).toEqual(
          new Set(['message', '', 'AdaptiveCard', 'RichTextBlock', 'TextRun', 'Action.OpenUrl']),
        );
      }),
    );
  });

  it('adds no element, header or line to a mail', () => {
    const tags = (html: string) => html.match(/<\/?[a-z]+/g);
    fc.assert(
      fc.property(hostile, hostile, (quote, value) => {
        const plain = toMail(makeNotice('a', 'b'));
        const mail = toMail(makeNotice(quote, value));
        expect(tags(mail.html)).toEqual(tags(plain.html));
        expect(mail.subject).not.toMatch(BAD);
        expect(mail.text.split('\n')).toHaveLength(plain.text.split('\n').length);
      }),
    );
  });

  it('appears in no header of ntfy', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(ntfyMessage(makeNotice(text, text)).headers).toEqual(ntfyMessage(makeNotice('', '')).headers);
      }),
    );
  });
});
