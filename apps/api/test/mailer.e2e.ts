import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Mailer, MailError } from '../src/platform/mailer.js';
import { startMailServer } from './support/mail-server.js';

const MAIL = { to: 'ada@example.com', subject: 'x', text: 'x', html: 'x' };
const from = 'gateway@example.com';

it('mails that wait too long for a server that hangs are given back before it gets them', async () => {
  let connections = 0;
  const silent = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const mailer = new Mailer({ smtpUrl: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, from });
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
}, 60_000);

it('many mails at the same time all arrive, once', async () => {
  const server = await startMailServer();
  const mailer = new Mailer({ smtpUrl: server.url, from });
  const codes = await Promise.all(Array.from({ length: 40 }, (_, n) => mailer.send({ ...MAIL, id: `m${n}` })));
  expect(codes).toEqual(codes.map(() => 250));
  const ids = server.mails.map(({ raw }) => /Message-ID: <(m\d+)@/.exec(raw)![1]);
  expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
  await mailer.onApplicationShutdown();
  await server.close();
});
