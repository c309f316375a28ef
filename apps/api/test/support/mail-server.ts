import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** The message as it arrived, with its parts decoded. */
  raw: string;
}

export interface MailServer {
  /** The next mails are refused with this reply; null: they are accepted. */
  url: string;
  mails: ReceivedMail[];
  /** The recipients of all mails, accepted or not. */
  refuse(reply: { code: number; text: string } | null): void;
  /** The next mails get no answer. */
  asked: string[];
  /** The next mails get no answer. */
  hang(hangs: boolean): void;
  close(): Promise<void>;
}

/** A real SMTP server on loopback that takes every login. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const asked: string[] = [];
  let hangs = false;
  let refusal: { code: number; text: string } | null = null;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, callback) => callback(null, { user: 'gateway' }),
    onRcptTo({ address }, _session, callback) {
      asked.push(address);
      if (hangs) return;
      callback(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          raw: decoded(Buffer.concat(chunks).toString()),
        });
        callback();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://gateway:secret@127.0.0.1:${port}`,
    mails,
    asked,
    hang: (all) => {
      hangs = all;
    },
    refuse: (reply) => {
      refusal = reply;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Undoes quoted-printable. */
function decoded(raw: string): string {
  const bytes = raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
