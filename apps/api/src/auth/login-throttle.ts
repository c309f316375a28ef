import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { LessThanOrEqual, type DataSource } from 'typeorm';
import { LoginAttemptEntity } from '#database';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { errors } from '../platform/errors.js';
import { addressBlock } from './request-origin.js';

const WINDOW_MS = 15 * 60 * 1000;
const ACCOUNT_LIMIT = 10;
const ADDRESS_LIMIT = 30;
const PURGE_INTERVAL_MS = 60 * 60 * 1000;

interface FailureCounts {
  account: number;
  total: number;
  account_oldest: Date | null;
  oldest: Date | null;
}

/**
 * Limits login attempts per (account, address) and per address. There is no limit per account alone, so that a stranger
 * can't lock out the owner (docs/reference/dashboard-api.md#login-limits). The counts are in the database, so that all
 * instances share them.
 */
@Injectable()
export class LoginThrottle {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {}

  /**
   * Counts an attempt before its password is checked. Parallel attempts each insert, commit, and only then count. The
   * last one to commit sees all the others, so no more than the limit can pass, on any number of instances. In a burst,
   * too many attempts can be refused, but never too few. Over the limit, nothing is written.
   * @throws ApiError 429
   */
  async reserve(email: string, address: string | null): Promise<void> {
    const block = addressBlock(address);
    const since = new Date(this.clock.nowMs() - WINDOW_MS);
    const inserted = await this.source.query<{ id: string }[]>(
      `INSERT INTO login_attempts (email, address, at)
       SELECT lower($1), $2, $3
       FROM (SELECT count(*) FILTER (WHERE email = lower($1)) AS account, count(*) AS total
             FROM login_attempts WHERE address = $2 AND at > $4) AS so_far
       WHERE account < $5 AND total < $6
       RETURNING id`,
      [email, block, this.clock.now(), since, ACCOUNT_LIMIT, ADDRESS_LIMIT],
    );
    const counts = await this.count(email, block, since);
    if (inserted.length === 1) {
      if (counts.account <= ACCOUNT_LIMIT && counts.total <= ADDRESS_LIMIT) return;
      await this.source.manager.delete(LoginAttemptEntity, { id: inserted[0].id });
    }
    const oldest = (counts.total >= ADDRESS_LIMIT ? counts.oldest : counts.account_oldest) ?? this.clock.now();
    throw errors.tooManyLogins(Math.max(1, Math.ceil((oldest.getTime() + WINDOW_MS - this.clock.nowMs()) / 1000)));
  }

  /** Deletes the counted attempts after a correct password: they were typing errors. */
  async forgive(email: string, address: string | null): Promise<void> {
    await this.source.query('DELETE FROM login_attempts WHERE email = lower($1) AND address = $2', [
      email,
      addressBlock(address),
    ]);
  }

  @Interval(PURGE_INTERVAL_MS)
  purgeHourly(): void {
    this.background.run('purge login attempts', () => this.purge());
  }

  /** Deletes attempts that no longer count. */
  async purge(): Promise<void> {
    await this.source.manager.delete(LoginAttemptEntity, {
      at: LessThanOrEqual(new Date(this.clock.nowMs() - WINDOW_MS)),
    });
  }

  private async count(email: string, block: string, since: Date): Promise<FailureCounts> {
    const [counts] = await this.source.query<FailureCounts[]>(
      `SELECT (count(*) FILTER (WHERE email = lower($1)))::int AS account, count(*)::int AS total,
              min(at) FILTER (WHERE email = lower($1)) AS account_oldest, min(at) AS oldest
       FROM login_attempts WHERE address = $2 AND at > $3`,
      [email, block, since],
    );
    return counts;
  }
}
