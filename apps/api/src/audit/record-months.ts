import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inSteps } from '#database';
import { firstUuidV7, momentOfUuidV7 } from '../platform/uuid-v7.js';

/** Months that exist ahead of the current one, so that a night without the gateway's jobs is no trouble. */
const MONTHS_AHEAD = 2;
/** Others wait behind a step that waits for a reader. A backup reads for hours, and the next hour tries again. */
const LIMITS = { lockTimeoutMs: 50, attempts: 20 };

const FIRST = 'audit_records_first';

/** A partition of `audit_records`. Null: it has no bound on this side. */
interface Partition {
  name: string;
  from: string | null;
  to: string | null;
}

const PARTITIONS = `
  SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'audit_records'::regclass`;
const BOUNDS = /FROM \((?:'([^']+)'|MINVALUE)\) TO \((?:'([^']+)'|MAXVALUE)\)/;

/**
 * The months of `audit_records`. The first partition has no lower bound and the last no upper one, so every record has a
 * place whatever its time is. Each change is one short transaction, and is begun again if a lock takes too long.
 */
@Injectable()
export class RecordMonths {
  constructor(private readonly source: DataSource) {}

  /** Cuts months off the last partition, until there are enough ahead. */
  async cutAhead(): Promise<void> {
    const [{ now }]: { now: Date }[] = await this.source.query('SELECT now()');
    const until = firstUuidV7(monthStart(now, MONTHS_AHEAD + 1));
    const isShort = (partitions: readonly Partition[]): boolean => partitions.at(-1)!.from! < until;
    while (isShort(await this.partitions())) {
      await this.change(async (query) => {
        const partitions = await readPartitions(query);
        // Another instance may have been faster.
        if (isShort(partitions)) await cutMonth(query, partitions.at(-1)!);
      });
    }
  }

  /** Drops the months that end before the month of a moment. */
  async dropBefore(moment: Date): Promise<void> {
    const before = firstUuidV7(monthStart(moment, 0));
    const oldOf = (partitions: readonly Partition[]): Partition[] =>
      partitions.filter(({ to }) => to !== null && to <= before);
    const hasMonths = (old: readonly Partition[]): boolean => old.some(({ from }) => from !== null);
    if (!hasMonths(oldOf(await this.partitions()))) return;
    await this.change(async (query) => {
      const old = oldOf(await readPartitions(query));
      if (hasMonths(old)) await dropPartitions(query, old);
    });
  }

  private partitions(): Promise<Partition[]> {
    return readPartitions((sql) => this.source.query(sql));
  }

  private async change(work: (query: Query) => Promise<void>): Promise<void> {
    const runner = this.source.createQueryRunner();
    try {
      await inSteps(runner, LIMITS).attempt(async () => {
        await runner.query('LOCK TABLE audit_records IN ACCESS EXCLUSIVE MODE');
        await work((sql) => runner.query(sql));
      });
    } finally {
      await runner.release();
    }
  }
}

type Query = (sql: string) => Promise<unknown>;

/** The beginning of a month in UTC, in milliseconds. */
export const monthStart = (moment: Date, monthsLater: number): number =>
  Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + monthsLater, 1);

/** The oldest first. */
async function readPartitions(query: Query): Promise<Partition[]> {
  const rows = (await query(PARTITIONS)) as { name: string; bounds: string | null }[];
  return rows
    .flatMap(({ name, bounds }) => {
      // Another instance drops it at this moment.
      if (!bounds) return [];
      const [, from = null, to = null] = BOUNDS.exec(bounds)!;
      return [{ name, from, to }];
    })
    .sort((one, other) => ((one.from ?? '') < (other.from ?? '') ? -1 : 1));
}

/** Records that a clock far ahead put there move along. */
async function cutMonth(query: Query, { name: rest, from }: Partition): Promise<void> {
  const moment = new Date(momentOfUuidV7(from!));
  const to = firstUuidV7(monthStart(moment, 1));
  const month = `audit_records_${moment.toISOString().slice(0, 7).replace('-', '_')}`;
  await query(`ALTER TABLE audit_records DETACH PARTITION ${rest}`);
  await createPartition(query, month);
  await query(
    `WITH moved AS (DELETE FROM ${rest} WHERE id < '${to}' RETURNING *) INSERT INTO ${month} SELECT * FROM moved`,
  );
  await query(`ALTER TABLE audit_records ATTACH PARTITION ${month} FOR VALUES FROM ('${from}') TO ('${to}')`);
  await query(`ALTER TABLE audit_records ATTACH PARTITION ${rest} FOR VALUES FROM ('${to}') TO (MAXVALUE)`);
}

/** An empty first partition takes their place. */
async function dropPartitions(query: Query, old: readonly Partition[]): Promise<void> {
  for (const { name } of old) await query(`DROP TABLE ${name}`);
  await createPartition(query, FIRST);
  const { to } = old.at(-1)!;
  await query(`ALTER TABLE audit_records ATTACH PARTITION ${FIRST} FOR VALUES FROM (MINVALUE) TO ('${to}')`);
}

const createPartition = (query: Query, name: string): Promise<unknown> =>
  query(`CREATE TABLE ${name} (LIKE audit_records INCLUDING DEFAULTS) WITH (fillfactor = 50)`);
