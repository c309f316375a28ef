import type { DataSource } from 'typeorm';
import type { AuditLog } from '../audit/audit-log.js';
import type { Metrics } from '../observability/metrics.js';
import type { ApprovalsConfig } from '../platform/config.js';
import type { SqlPool } from '../platform/fast-lane/sql-pool.js';
import type { IdempotencySettlement } from './idempotency-settlement.js';
import { IdempotencyStore } from './idempotency-store.js';

it('writes answers with large heads in several texts, because a text of 41 MB blocks the event loop', async () => {
  const texts: string[] = [];
  const sql = { prepared: (_name: string, _sql: string, [text]: string[]) => Promise.resolve(void texts.push(text)) };
  const store = new IdempotencyStore(
    {} as DataSource,
    sql as unknown as SqlPool,
    {} as AuditLog,
    {} as IdempotencySettlement,
    {} as ApprovalsConfig,
    {} as Metrics,
  );
  const headers = Array.from({ length: 60 }, (_, n): [string, string] => [`x-${n}`, '"'.repeat(1000)]);
  const answer = { fromUpstream: true, status: 200, headers, body: Buffer.alloc(32_000) };
  const completion = { agentId: 1, claimId: 'c', serviceId: null, answer };
  await Promise.all(Array.from({ length: 250 }, (_, n) => store.complete({ ...completion, key: String(n) })));
  expect(texts.flatMap((text) => JSON.parse(text) as unknown[])).toHaveLength(250);
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(3 * 1024 * 1024);
});
