import type { RiskRule } from '#contracts';

const FIELDS = [
  'name',
  'effect',
  'methods',
  'pathPattern',
  'when',
  'agentIds',
  'approvals',
  'approverIds',
  'instruction',
  'limit',
  'expiresAt',
  'maxUses',
  'isActive',
  'mode',
  'exceptions',
] as const satisfies readonly (keyof RiskRule)[];
export type VersionedField = (typeof FIELDS)[number];

/** What a change of a rule has changed. Null: it made the rule. */
export const changedFields = (before: RiskRule | undefined, after: RiskRule): VersionedField[] | null =>
  before === undefined ? null : FIELDS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
