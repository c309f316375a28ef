import fc from 'fast-check';
import { invitationMail } from './invitation-mail-text.js';

const PIECES = [
  '\r\nBcc: mallory@example.com',
  '\r\n\r\nhttps://evil.example/login',
  '</title></p><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '&lt;',
  '\u202Egnirts',
  'evil.example',
  'Löschen 顧客 😀',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary' })), { maxLength: 6 })
  .map((all) => all.join(' '));

const URL = 'https://gateway.example.com/dashboard/invitations#0123456789abcdef';
const mailTo = (workspace: string, inviter: string, email: string) =>
  invitationMail({
    workspace,
    inviter,
    email,
    role: 'approver',
    expiresAt: new Date('2026-01-31T12:00:00Z'),
    url: URL,
  });

it('says who invites to what, until when, and has the link', () => {
  const { subject, text } = mailTo('Shop', 'Ada', 'ben@example.com');
  expect(subject).toBe('Invitation to the workspace “Shop”');
  expect(text).toContain('Ada invited you to the workspace “Shop” in Agent Gateway. Your role: approver.');
  expect(text).toContain(`Accept the invitation: ${URL}\n`);
  expect(text).toContain('expires at 2026-01-31 12:00 UTC');
});

it('names that others chose add no header, line, element or link', () => {
  const tags = (html: string) => html.match(/<\/?[a-z]+/g);
  const plain = mailTo('a', 'b', 'c');
  fc.assert(
    fc.property(hostile, hostile, hostile, (workspace, inviter, email) => {
      const mail = mailTo(workspace, inviter, email);
      expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
      expect(mail.text.split('\n')).toHaveLength(plain.text.split('\n').length);
      expect(tags(mail.html)).toEqual(tags(plain.html));
      for (const said of [mail.text, mail.html]) expect(said.split('https://')).toHaveLength(2);
    }),
  );
});
