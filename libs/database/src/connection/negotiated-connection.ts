/**
 * The driver's connection, with libpq's rules for TLS. The driver itself either uses TLS or does not: it can't try one
 * and then fall back to the other (`sslmode=prefer` and `allow`), and it can't require channel binding.
 */
import { connect as openSocket, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as openTls } from 'node:tls';
import pg from 'pg';
import type { DatabaseConnection } from './database-connection.js';

/** What the driver's connection has and its types do not show. */
interface Inner {
  stream: Duplex;
  _ending: boolean;
  _connecting: boolean;
  requestSsl(): void;
  attachListeners(stream: Duplex): void;
}

export class NegotiatedConnection extends pg.Connection {
  /** Whether the connection is encrypted. */
  encrypted = false;
  /** The server has answered, but asked for no password yet. Only then may another attempt follow. */
  private isOpen = true;
  private readonly attempts: boolean[];
  private target: { portOrPath: number | string; host?: string };
  private firstFault: Error | null = null;
  private isBound = false;

  constructor(private readonly to: DatabaseConnection) {
    super({});
    this.attempts = [...to.tls.attempts];
  }

  /** The driver calls this with a port and a host, or with the path of a socket. */
  connect(portOrPath: number | string, host?: string): void {
    this.target = { portOrPath, host };
    // Otherwise the driver closes without a goodbye.
    this.inner._connecting = true;
    this.attempt();
  }

  private attempt(): void {
    const { portOrPath, host } = this.target;
    const wantsTls = this.attempts.shift()!;
    this.encrypted = false;
    const socket = typeof portOrPath === 'string' ? openSocket(portOrPath) : openSocket(portOrPath, host);
    let isConnected = false;
    this.use(socket, () => isConnected);
    socket.setNoDelay(true);
    socket.setKeepAlive(this.to.keepAlive, this.to.keepAliveIdleMs);
    socket.once('connect', () => {
      isConnected = true;
      if (!wantsTls) this.begin(socket);
      else if (this.to.tls.direct) this.encrypt(socket);
      else this.askForTls(socket);
    });
  }

  private askForTls(socket: Socket): void {
    this.inner.requestSsl();
    socket.once('data', (answer) => {
      const text = answer.toString('latin1');
      // The answer must be `S` alone. Bytes after it would be unencrypted, and an attacker could have added them.
      if (text === 'S') return this.encrypt(socket);
      if (text === 'N' && this.attempts[0] === false) {
        this.attempts.shift();
        return this.begin(socket);
      }
      socket.destroy(
        new Error(text === 'N' ? 'The server does not support TLS (sslmode)' : 'The server refused to begin TLS'),
      );
    });
  }

  private encrypt(socket: Socket): void {
    const stream = openTls({ ...this.to.tls.options, socket });
    this.use(stream, () => true);
    stream.once('secureConnect', () => {
      if (this.to.tls.direct && stream.alpnProtocol !== 'postgresql')
        return stream.destroy(new Error('The server does not begin with TLS (sslnegotiation=direct)'));
      this.encrypted = true;
      this.begin(stream);
    });
  }

  /** From here on, the driver reads and writes. */
  private begin(stream: Duplex): void {
    this.inner.attachListeners(stream);
    super.emit('connect');
  }

  private use(stream: Duplex, canRetry: () => boolean): void {
    this.inner.stream = stream;
    stream.on('error', (error: Error & { code?: string }) => {
      if (this.inner.stream !== stream) return;
      if (this.inner._ending && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return;
      if (canRetry() && this.retry(error)) return;
      super.emit('error', this.withFirstFault(error));
    });
    stream.on('close', () => {
      if (this.inner.stream === stream) super.emit('end');
    });
  }

  /** All events for the driver pass through here. During the login, this class handles some of them itself. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'errorMessage' && this.isOpen) {
      const fault = args[0] as Error;
      // For example, pg_hba.conf wants the other kind of connection.
      if (this.retry(fault)) return true;
      return super.emit(event, this.withFirstFault(fault));
    }
    if (typeof event === 'string' && event.startsWith('authentication')) {
      this.isOpen = false;
      if (this.to.channelBinding === 'require' && !this.keepsBinding(event, args[0])) {
        this.inner.stream.destroy(new Error('The server does not support channel binding (channel_binding=require)'));
        return true;
      }
    }
    return super.emit(event, ...args);
  }

  private retry(fault: Error): boolean {
    if (!this.isOpen || this.inner._ending || this.attempts.length === 0) return false;
    this.firstFault = fault;
    const { stream } = this.inner;
    this.attempt();
    stream.destroy();
    return true;
  }

  private withFirstFault(fault: Error): Error {
    if (this.firstFault !== null)
      fault.message += ` (${this.encrypted ? 'without' : 'with'} TLS: ${this.firstFault.message})`;
    return fault;
  }

  /** No password may go to a server that does not prove that it is the end of this TLS connection. */
  private keepsBinding(event: string, message: unknown): boolean {
    if (event === 'authenticationSASL') {
      const { mechanisms } = message as { mechanisms: string[] };
      return this.encrypted && mechanisms.includes('SCRAM-SHA-256-PLUS');
    }
    if (event === 'authenticationSASLFinal') this.isBound = true;
    return event.startsWith('authenticationSASL') || (event === 'authenticationOk' && this.isBound);
  }

  private get inner(): Inner {
    return this as unknown as Inner;
  }
}
