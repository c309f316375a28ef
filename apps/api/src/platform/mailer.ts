import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { MailConfig } from './config.js';
import { Log } from './logging.js';

const CONNECT_MS = 5000;
const ANSWER_MS = 8000;
const CONNECTIONS = 5;
/**
 * How long a mail waits for a connection, and how long sending it may take. Together they are shorter than the lease of
 * a delivery. Otherwise another instance would send the mail too.
 */
const QUEUE_MS = 10_000;
const SEND_MS = 15_000;

interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The same at every attempt, so that mail programs recognise repeats. */
  id: string;
}

/** The server did not accept a mail. The text contains no part of the mail. */
export class MailError extends Error {
  /** @param status the reply code of the server; null if it did not answer */
  constructor(
    message: string,
    readonly status: number | null,
  ) {
    super(message);
  }
}

/** Sends mail over the operator's SMTP server. No egress guard: the server is the operator's. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private transport: Promise<Transporter> | null = null;
  private free = CONNECTIONS;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly config: MailConfig,
    private readonly log: Log,
  ) {}

  get isConfigured(): boolean {
    return this.config.smtpUrl !== null;
  }

  async onApplicationShutdown(): Promise<void> {
    (await this.transport)?.close();
  }

  /** @returns the reply code of the server @throws MailError */
  async send({ id, to, subject, text, html }: Mail): Promise<number> {
    if (!this.isConfigured) throw new MailError('SMTP_URL is not set', null);
    this.transport ??= openTransport(this.config.smtpUrl!);
    const transport = await this.transport;
    const from = parseSender(this.config.from!);
    const host = from.address.slice(from.address.lastIndexOf('@') + 1);
    await this.takeConnection();
    const sending = transport
      .sendMail({
        from,
        // As an object, so that no character of the address can add another one.
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${host}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      .finally(() => this.returnConnection());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new MailError(TOO_LATE, null)), SEND_MS).unref();
    });
    try {
      const { response = '' } = (await Promise.race([sending, late])) as { response?: string };
      return Number.parseInt(response, 10) || 250;
    } catch (error) {
      if (error instanceof MailError) throw error;
      const fault = toFault(error as SmtpError);
      if (fault.status === null) this.log.warn(fault, 'mail could not be sent');
      throw new MailError(fault.reason, fault.status);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The transport itself would let a mail wait without end. @throws MailError */
  private async takeConnection(): Promise<void> {
    if (this.free > 0) return void this.free--;
    await new Promise<void>((resolve, reject) => {
      const take = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(take);
        reject(new MailError(TOO_LATE, null));
      }, QUEUE_MS).unref();
      this.waiting.add(take);
    });
  }

  private returnConnection(): void {
    const [next] = this.waiting;
    if (next === undefined) return void this.free++;
    this.waiting.delete(next);
    next();
  }
}

/** The library is loaded at its first use, because an installation without mail never needs its memory. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** As an object, because the library would read some characters of a name as an address list or a comment. */
export function parseSender(from: string): { name: string; address: string } {
  const [, name, address] = /^\s*(.*?)\s*<([^<>]+)>$/s.exec(from) ?? ['', '', from];
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(name) ?? [];
  return { name: quoted === undefined ? name : quoted.replace(/\\(.)/gs, '$1'), address };
}

interface SmtpError extends Error {
  responseCode?: number;
  code?: string;
  /** What Node or OpenSSL said; the library then puts its own code in place of it. */
  originalCode?: string;
}

interface Fault {
  status: number | null;
  reason: string;
  /** For the log: the text of Node about TLS, which has both names of a mismatch. It quotes nothing of a mail. */
  detail?: string;
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|CRL/;

function toFault({ responseCode, code, originalCode = '', message }: SmtpError): Fault {
  if (CERTIFICATE.test(originalCode)) {
    const reason = `the certificate of the mail server is not trusted (${originalCode})`;
    return { status: null, reason, detail: message };
  }
  if (originalCode.startsWith('ERR_SSL_') || originalCode === 'EPROTO') {
    const reason = 'TLS with the mail server failed: use smtps:// only for a port that begins with TLS';
    return { status: null, reason, detail: message.trim() };
  }
  if (code === 'ETLS') return { status: null, reason: 'the mail server did not begin TLS (STARTTLS)' };
  const status = responseCode ?? null;
  return { status, reason: status === null ? (REASONS[code ?? ''] ?? 'not sent') : `answered ${status}` };
}

const TOO_LATE = 'the mail server did not answer in time';

/** The reasons in our own words, because the messages of the library may quote the server. */
const REASONS: Record<string, string | undefined> = {
  ECONNECTION: 'no connection to the mail server',
  ESOCKET: 'no connection to the mail server',
  EDNS: 'the mail server could not be found',
  ETIMEDOUT: TOO_LATE,
  EAUTH: 'the mail server refused the login',
  EENVELOPE: 'the mail server refused the address',
};
