import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BackgroundWork } from '../platform/background.js';
import { Clock } from '../platform/clock.js';
import { AgentsConfig } from '../platform/config.js';
import { SqlPool } from '../platform/fast-lane/sql-pool.js';

/** The answers of an agent are counted again after this process has stored at most this many more bytes of them. */
const STEP_MAX_BYTES = 64 * 1024 * 1024;
/** While an agent is above its bound, its answers are counted again this often, because they expire. */
const AGAIN_MS = 60_000;
/** An agent that leaves the tallies is counted again after its next step. */
const AGENTS_MAX = 10_000;

const STORED = `SELECT coalesce(sum(octet_length(response_body)), 0)::float8 AS bytes
  FROM idempotency_records WHERE agent_id = $1`;

interface Tally {
  /** Bytes that this process has stored since the last count. */
  added: number;
  isFull: boolean;
  countedAtMs: number;
}

/**
 * Limits the bytes of answers that are stored for the keys of one agent (docs/reference/idempotency.md#stored-answers).
 * The database counts them only for an agent that stores a lot, and no request waits for the count. So an agent may
 * exceed the limit by up to a sixteenth for each process.
 */
@Injectable()
export class StoredAnswers {
  private readonly tallies = new LRUCache<number, Tally>({ max: AGENTS_MAX });
  private readonly stepBytes: number;

  constructor(
    private readonly config: AgentsConfig,
    private readonly sql: SqlPool,
    private readonly clock: Clock,
    private readonly background: BackgroundWork,
  ) {
    this.stepBytes = Math.min(STEP_MAX_BYTES, config.maxStoredBytes / 16);
  }

  /** Notes that an answer was stored. */
  add(agentId: number, bytes: number): void {
    const tally = this.tallies.get(agentId) ?? this.open(agentId);
    tally.added += bytes;
    if (tally.added >= this.stepBytes) this.count(agentId, tally);
  }

  /** Whether further answers of this agent must not be stored. */
  isFull(agentId: number): boolean {
    const tally = this.tallies.get(agentId);
    if (!tally?.isFull) return false;
    if (this.clock.monotonicMs() - tally.countedAtMs >= AGAIN_MS) this.count(agentId, tally);
    return true;
  }

  private open(agentId: number): Tally {
    const tally: Tally = { added: 0, isFull: false, countedAtMs: 0 };
    this.tallies.set(agentId, tally);
    return tally;
  }

  private count(agentId: number, tally: Tally): void {
    tally.added = 0;
    tally.countedAtMs = this.clock.monotonicMs();
    this.background.run('stored answers', async () => {
      const { rows } = await this.sql.prepared<{ bytes: number }>('stored_answers', STORED, [agentId]);
      tally.isFull = rows[0].bytes >= this.config.maxStoredBytes;
    });
  }
}
