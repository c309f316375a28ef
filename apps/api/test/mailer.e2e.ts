import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SELF_SIGNED } from '../../../libs/egress/test/self-signed.js';
import type { Log } from '../src/platform/logging.js';
import { Mailer, MailError } from '../src/platform/mailer.js';
import { startMailServer } from './support/mail-server.js';

const MAIL = { to: 'ada@example.com', subject: 'x', text: 'x', html: 'x' };
const from = 'gateway@example.com';
const logged: object[] = [];
const log = { warn: (fields: object) => void logged.push(fields) } as unknown as Log;

it('mails that wait too long for a hanging server fail before the server gets them', async () => {
  let connections = 0;
  const silent = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const mailer = new Mailer({ smtpUrl: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, from }, log);
  const mails = Array.from({ length: 40 }, (_, n) => mailer.send({ ...MAIL, id: String(n) }));
  const results = await Promise.allSettled(mails);
  expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  for (const result of results) {
    expect((result as PromiseRejectedResult).reason).toEqual(
      new MailError('the mail server did not answer in time', null),
    );
  }
  expect(connections).toBeLessThan(40);
  await mailer.onApplicationShutdown();
  silent.close();
});

it('many mails at the same time all arrive, once', async () => {
  const server = await startMailServer();
  const mailer = new Mailer({ smtpUrl: server.url, from }, log);
  const codes = await Promise.all(Array.from({ length: 40 }, (_, n) => mailer.send({ ...MAIL, id: `m${n}` })));
  expect(codes).toEqual(codes.map(() => 250));
  const ids = server.mails.map(({ raw }) => /Message-ID: <(m\d+)@/.exec(raw)![1]);
  expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
  await mailer.onApplicationShutdown();
  await server.close();
});

it.each([
  ['Gateway: prod <gateway@example.com>', '"Gateway: prod" <gateway@example.com>'],
  ['Gateway (prod) <gateway@example.com>', '"Gateway (prod)" <gateway@example.com>'],
  ['Ops; Gateway <gateway@example.com>', '"Ops; Gateway" <gateway@example.com>'],
  ['Ops, Gateway <gateway@example.com>', '"Ops, Gateway" <gateway@example.com>'],
  ['a@b.example <gateway@example.com>', '"a@b.example" <gateway@example.com>'],
  [String.raw`"Ops \"A\"" <gateway@example.com>`, String.raw`"Ops \"A\"" <gateway@example.com>`],
  ['Gateway <gateway@example.com>', 'Gateway <gateway@example.com>'],
  ['<gateway@example.com>', 'gateway@example.com'],
  ['gateway@example.com', 'gateway@example.com'],
])('the name in MAIL_FROM=%s arrives as written', async (mailFrom, header) => {
  const server = await startMailServer();
  const mailer = new Mailer({ smtpUrl: server.url, from: mailFrom }, log);
  await mailer.send({ ...MAIL, id: 'x' });
  expect(/^From: (.*)\r$/m.exec(server.mails[0].raw)![1]).toBe(header);
  expect(server.mails[0].from).toBe('gateway@example.com');
  await mailer.onApplicationShutdown();
  await server.close();
});

describe('a mail server with which TLS fails', () => {
  const serve = async (options: SMTPServerOptions): Promise<{ port: number; close: () => void }> => {
    const server = new SMTPServer({ authOptional: true, ...options });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.server.address() as AddressInfo).port, close: () => void server.close(() => undefined) };
  };
  const UNTRUSTED = 'the certificate of the mail server is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)';
  const NO_TLS = 'TLS with the mail server failed: use smtps:// only for a port that begins with TLS';

  it.each([
    ['STARTTLS with an untrusted certificate', 'smtp', { ...SELF_SIGNED }, UNTRUSTED, 'self-signed certificate'],
    [
      'smtps:// with an untrusted certificate',
      'smtps',
      { ...SELF_SIGNED, secure: true },
      UNTRUSTED,
      'self-signed certificate',
    ],
    ['smtps:// to a plain port', 'smtps', { disabledCommands: ['STARTTLS'] }, NO_TLS, 'wrong version number'],
  ])('%s is told as that, in the log too', async (_, scheme, options, reason, detail) => {
    const server = await serve(options);
    const mailer = new Mailer({ smtpUrl: `${scheme}://127.0.0.1:${server.port}`, from }, log);
    logged.length = 0;
    await expect(mailer.send({ ...MAIL, id: 'x' })).rejects.toEqual(new MailError(reason, null));
    expect(logged).toEqual([{ status: null, reason, detail: expect.stringContaining(detail) }]);
    await mailer.onApplicationShutdown();
    server.close();
  });
});
