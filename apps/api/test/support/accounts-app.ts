import type { AccessEvent } from '../../src/auth/access-events.js';
import { listenToAccess } from './access-events.js';
import { register } from './accounts.js';
import { startApp, type TestApp } from './start-app.js';

/** A gateway with open registration, and the audit events of its log-ins. */
export class AccountsApp {
  app!: TestApp;
  /** The audit events of the current test. */
  events: AccessEvent[] = [];
  private accounts = 0;

  constructor() {
    beforeAll(async () => {
      this.app = await startApp({
        ALLOW_REGISTRATION: 'true',
        TRUST_PROXY: 'true',
        JWT_ACCESS_EXPIRY: '10m',
        JWT_REFRESH_EXPIRY: '2d',
      });
      listenToAccess(this.app, (event) => this.events.push(event));
    });
    beforeEach(() => {
      this.events = [];
    });
    afterAll(() => this.app.close());
  }

  /**
   * Creates a new account, so that tests don't share attempts or sessions.
   * @returns its e-mail
   */
  async newAccount(): Promise<string> {
    const email = `user${++this.accounts}@example.com`;
    await register(this.app, email);
    return email;
  }

  /** The audit events of this test, in order. */
  async told(): Promise<string[]> {
    await this.app.settled();
    return this.events.map(({ action }) => action);
  }

  /** Starts `work` while a transaction holds what `statement` locks; commits when that many queries wait for it. */
  whileHeld<T>(statement: string, waiting: number, work: () => Promise<T>[]): Promise<Promise<T>[]> {
    return this.app.database.manager.transaction(async (tx) => {
      await tx.query(statement);
      const started = work();
      for (let blocked = 0; blocked < waiting;) {
        const rows = await this.app.database.query<object[]>(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        blocked = rows.length;
      }
      return started;
    });
  }
}
