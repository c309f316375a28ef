import type { INestApplication } from '@nestjs/common';
import { ApprovalsHousekeeping } from '../../src/approvals/approvals.schedule.js';
import { AuditHousekeeping } from '../../src/audit/audit.schedule.js';
import { UsageHousekeeping } from '../../src/figures/usage.schedule.js';

/**
 * Deletes all rows past their retention.
 * @returns the number of deleted rows
 */
export async function purgeAll(app: Pick<INestApplication, 'get'>): Promise<number> {
  const parts = [app.get(AuditHousekeeping), app.get(UsageHousekeeping), app.get(ApprovalsHousekeeping)];
  const counts = await Promise.all(parts.map((part) => part.purge()));
  return counts.reduce((sum, count) => sum + count, 0);
}
