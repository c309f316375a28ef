import type { Service } from '#contracts';
import { ROTATION_DUE_DAYS } from '#contracts/limits';

const DAY_MS = 86_400_000;

/**
 * Whether the credentials should be replaced: `overdue`, `due` within the next days, or null. Counts like `GET
 * /admin/status`.
 */
export function rotationDue(
  { rotationDueAt }: Pick<Service, 'rotationDueAt'>,
  nowMs: number,
): 'overdue' | 'due' | null {
  if (rotationDueAt === null) return null;
  const leftMs = Date.parse(rotationDueAt) - nowMs;
  if (leftMs <= 0) return 'overdue';
  return leftMs <= ROTATION_DUE_DAYS * DAY_MS ? 'due' : null;
}
