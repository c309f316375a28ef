import fc from 'fast-check';
import { blocksOf, readMail } from './mail-text.js';

describe('the headers of a mail', () => {
  it('are those that say who gets it and what it is about, unfolded and decoded, each as often as it is there', () => {
    const mail = [
      'MIME-Version: 1.0',
      'To: Ada <ada@example.com>,',
      ' bo@example.com',
      'BCC: eve@example.com',
      'to: Cy <cy@example.com>',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= =?UTF-8?B?IGF1cw==?= =?iso-8859-1?Q?_K=F6ln?=',
      '',
      'To: nobody@example.com',
    ];
    for (const lineBreak of ['\n', '\r\n']) {
      expect(readMail(mail.join(lineBreak))).toMatchObject({
        headers: [
          { name: 'to', value: 'Ada <ada@example.com>, bo@example.com' },
          { name: 'bcc', value: 'eve@example.com' },
          { name: 'to', value: 'Cy <cy@example.com>' },
          { name: 'subject', value: 'Grüße aus Köln' },
        ],
        content: 'To: nobody@example.com',
      });
    }
  });

  it('stay as they are where a word cannot be decoded', () => {
    const value = '=?none?b?SGk=?= =?utf-8?b?*?= =?utf-8?q?=FF?=';
    expect(readMail(`To: a@b.example\nSubject: ${value}`)?.headers[1]?.value).toBe(value.replaceAll('?= =?', '?==?'));
  });

  it.each([
    ['a text', 'Hello,\n\nplease pay.'],
    ['a manifest', 'kind: Secret\nto: x'],
    ['a line that is no header', 'To: a@b.example\nnone\nSubject: x\n\ny'],
    ['line breaks of two kinds', 'To: a@b.example\r\nSubject: x\n\ny'],
    ['a lone carriage return', 'To: a@b.example\rBcc: c@d.example\nSubject: x\n\ny'],
  ])('are not read of %s', (_what, text) => {
    expect(readMail(text)).toBeNull();
  });

  it('never fail to be read', () => {
    const text = fc.string({ unit: fc.constantFrom('To: a', '\n', '\r\n', ' ', '=?utf-8?b?', '?=', '\r', ':') });
    fc.assert(fc.property(text, (each) => expect(readMail(each)?.headers ?? []).toBeInstanceOf(Array)));
  });
});

it('finds the blocks of a mail that can be in base64, without boundaries and headers beside them', () => {
  const content = [
    '--b',
    'Content-Transfer-Encoding: base64',
    '',
    'SGVsbG8=',
    'SGVsbG8=',
    '',
    '--b',
    'X: y',
    '',
    'Rm9v',
    '--b--',
  ];
  expect(blocksOf(content.join('\r\n'))).toContain('SGVsbG8=\r\nSGVsbG8=');
  expect(blocksOf(content.join('\n'))).toContain('Rm9v');
});
