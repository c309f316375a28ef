import fc from 'fast-check';
import { CHANNEL_EVENTS, CHANNEL_OWN_EVENTS } from '#contracts/channel-states';
import { toMail } from './email.js';
import { ntfyMessage } from './ntfy.js';
import { slackMessage } from './slack-message.js';
import { toNotice } from './notice.js';

const PIECES = [
  '<!channel>',
  '@everyone',
  '[click](https://evil.example)',
  '</blockquote><script>',
  '\r\nBcc: mallory@example.com',
  '\u202Egnirts',
  '../../..',
  '?workspace=2#',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 5 })
  .map((all) => `x ${all.join(' ')}`);

/** Every field that contains text written by others. */
const TEXTS = ['summary', 'agent', 'service', 'workspace', 'decidedBy', 'by', 'channel', 'reason', 'place'];

const makeNotice = (type: (typeof CHANNEL_EVENTS)[number] | (typeof CHANNEL_OWN_EVENTS)[number], text: string) =>
  toNotice(
    {
      id: '00000000-0000-4000-8000-000000000000',
      type,
      workspaceId: 1,
      occurredAt: new Date(0),
      about: { ...Object.fromEntries(TEXTS.map((field) => [field, text])), serviceId: 7, riskScore: 0.5 },
      digest: null,
    },
    'https://gateway.example.com',
  );

describe.each([...CHANNEL_EVENTS, ...CHANNEL_OWN_EVENTS])('%s', (type) => {
  const plain = makeNotice(type, 'x');

  it('has a title and a link with words of the gateway only, even if others write misleading texts', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const notice = makeNotice(type, text);
        expect([notice.title, notice.link, notice.linkText]).toEqual([plain.title, plain.link, plain.linkText]);
      }),
    );
  });

  it('adds nothing but plain text to messages', () => {
    const tags = (html: string) => html.match(/<\/?[a-z]+/g);
    fc.assert(
      fc.property(hostile, (text) => {
        const notice = makeNotice(type, text);
        expect(tags(toMail(notice).html)).toEqual(tags(toMail(plain).html));
        expect(toMail(notice).text.split('\n')).toHaveLength(toMail(plain).text.split('\n').length);
        expect(ntfyMessage(notice).headers).toEqual(ntfyMessage(plain).headers);
        expect(JSON.stringify(slackMessage(notice)).match(/"type":"mrkdwn"/g)).toHaveLength(1);
      }),
    );
  });
});

it('describes each event in its own words', () => {
  const titles = CHANNEL_EVENTS.map((type) => makeNotice(type, 'x').title);
  expect(new Set(titles).size).toBe(CHANNEL_EVENTS.length);
  expect(titles).not.toContain('Test: this channel works');
});

it.each([['connection.expired', 'https://gateway.example.com/dashboard/services/7?workspace=1', 'Open']] as const)(
  '%s leads to its page',
  (type, link, linkText) => expect(makeNotice(type, 'x')).toMatchObject({ link, linkText }),
);
