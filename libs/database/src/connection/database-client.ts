import pg from 'pg';
import type { DatabaseConnection } from './database-connection.js';
import { NegotiatedConnection } from './negotiated-connection.js';
import { sessionStatement, type SessionLimits } from './session.js';

/** The driver's error text for a query timeout. */
const OVERDUE = 'Query read timeout';

export interface ClientOptions {
  readonly to: DatabaseConnection;
  readonly limits: SessionLimits;
  /** What the server's list of sessions shows. */
  readonly applicationName: string;
  /** How long connecting may take. A shorter `connect_timeout` holds. 0: no limit. */
  readonly connectMs: number;
  /** How long the result of a statement may take; 0: no limit. */
  readonly queryMs: number;
}

/** Every connection of the gateway to its database. */
export class DatabaseClient extends pg.Client {
  private readonly ask = pg.Client.prototype.query.bind(this) as (...args: unknown[]) => unknown;

  constructor(private readonly set: ClientOptions) {
    super(driverConfig(set));
    this.connection.on('connect', () => {
      // Without TLS there is no channel binding. If it were enabled, the driver would tell the server that it supports
      // channel binding and that the server did not offer it. That is not true, and servers check it.
      const { encrypted } = this.connection as NegotiatedConnection;
      Object.assign(this, { enableChannelBinding: encrypted && set.to.channelBinding !== 'disable' });
    });
  }

  /** Resolves when the session has the gateway's settings. */
  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | void {
    const connected = this.open();
    if (callback === undefined) return connected;
    connected.then(
      () => callback(null),
      (error: unknown) => callback(error as Error),
    );
  }

  /**
   * Closes a connection immediately after a query timeout. The driver would keep using it: the next query would wait
   * behind the timed-out one until its own timeout, and a late result of the old query would be read as the result of the
   * next one.
   */
  override query: pg.Client['query'] = (...args: unknown[]) => {
    const answer = this.ask(...args);
    if (answer instanceof Promise) answer.catch((error: unknown) => this.closeIfOverdue(error));
    return answer as never;
  };

  private async open(): Promise<this> {
    await super.connect();
    // Nobody else listens yet. If the connection ends now, its statement fails too.
    const ignore = (): void => undefined;
    this.on('error', ignore);
    try {
      await this.query(sessionStatement(this.set.limits));
      if (this.set.to.primaryOnly) await this.assertPrimary();
    } catch (error) {
      await this.end().catch(() => undefined);
      throw error;
    } finally {
      this.off('error', ignore);
    }
    return this;
  }

  private async assertPrimary(): Promise<void> {
    const { rows } = await this.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    if (rows[0].standby) throw new Error('The server is a standby (target_session_attrs)');
  }

  private closeIfOverdue(error: unknown): void {
    // While a query is in progress, `end` closes the connection without a goodbye message.
    if (error instanceof Error && error.message === OVERDUE) void this.end().catch(() => undefined);
  }
}

/** Each value is set, because the driver would look for a missing one in the environment. */
function driverConfig({ to, applicationName, connectMs, queryMs }: ClientOptions): pg.ClientConfig {
  return {
    host: to.address ?? to.host,
    port: to.port,
    user: to.user,
    database: to.database,
    // Without one, the driver would look for a password file.
    password:
      to.password ?? (() => Promise.reject(new Error('The server asks for a password, and DATABASE_URL has none'))),
    ssl: false,
    sslnegotiation: 'postgres',
    options: to.options ?? undefined,
    application_name: applicationName,
    connectionTimeoutMillis:
      connectMs === 0 || to.connectMs === null ? (to.connectMs ?? connectMs) : Math.min(connectMs, to.connectMs),
    query_timeout: queryMs,
    ...{ connection: new NegotiatedConnection(to) },
  };
}
