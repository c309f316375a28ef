import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RiskRule, RiskRuleVersion } from '#contracts';
import { inTransaction, type RiskRuleEntity } from '#database';
import type { ChangeAuthor } from '../membership/change-author.js';
import { errors } from '../platform/errors.js';
import { findService, lockService } from '../service-view/stored-service.js';
import { toRiskRule } from './risk-rule-mapper.js';
import { RiskRuleRegistry } from './risk-rule-registry.js';
import { EMPTY } from './rule-draft.js';
import { deletedAgents } from './rule-powers.js';
import { findRule } from './stored-rule.js';

interface Row {
  version: number;
  at: Date;
  byId: number | null;
  byName: string | null;
  /** The row of the rule, as PostgreSQL writes it. A version from before a column was added lacks it. */
  rule: Record<string, unknown>;
}

const VERSIONS = `
  SELECT version, at, by_id AS "byId", by_name AS "byName", rule FROM risk_rule_versions
  WHERE rule_id = $1 AND ($2::int IS NULL OR version = $2) ORDER BY version DESC`;

/** The fields that a restored version sets. */
const FIELDS = ['name', 'effect', ...(Object.keys(EMPTY) as (keyof typeof EMPTY)[])] as const;

/** What rules were after each change. The database keeps it (`functions/risk-rules.sql`), whoever makes the change. */
@Injectable()
export class RuleVersions {
  constructor(
    private readonly source: DataSource,
    private readonly rules: RiskRuleRegistry,
  ) {}

  /** The newest first. @throws ApiError 404 */
  async list(workspaceId: number, serviceId: number, ruleId: number): Promise<RiskRuleVersion[]> {
    const { manager } = this.source;
    await findService(manager, workspaceId, serviceId);
    await findRule(manager, serviceId, ruleId);
    const rows: Row[] = await manager.query(VERSIONS, [ruleId, null]);
    return rows.map(({ version, at, byId, byName, rule }) => ({
      version,
      at: at.toISOString(),
      by: byName === null ? null : { id: byId, name: byName },
      rule: toRiskRule(toEntity(rule)),
    }));
  }

  /**
   * Changes the rule to what it was. That is a change like any other, and makes a new version.
   * @throws ApiError 400, 403, 404, 409
   */
  restore(author: ChangeAuthor, serviceId: number, ruleId: number, version: number): Promise<RiskRule> {
    return inTransaction(this.source, async (tx) => {
      const { workspaceId } = author.actor;
      await lockService(tx, workspaceId, serviceId);
      const now = toRiskRule(await findRule(tx, serviceId, ruleId));
      const [row]: Row[] = await tx.query(VERSIONS, [ruleId, version]);
      if (row === undefined) throw errors.ruleVersionNotFound();
      const then = toRiskRule(toEntity(row.rule));
      const change = Object.fromEntries(
        FIELDS.filter((field) => !isDeepStrictEqual(then[field], now[field])).map((field) => [field, then[field]]),
      );
      if (Object.keys(change).length === 0) throw errors.ruleIsSoAlready(version);
      const gone = await deletedAgents(tx, workspaceId, then.agentIds, now.agentIds);
      if (gone.length > 0) throw errors.ruleVersionNamesDeleted(version, gone.join(', '));
      return this.rules.updateIn(tx, author, serviceId, ruleId, change, { restoredVersion: version });
    });
  }
}

function toEntity(row: Record<string, unknown>): RiskRuleEntity {
  const named = Object.entries(row).map(([column, value]) => [toCamelCase(column), value]);
  const rule = { ...EMPTY, ...Object.fromEntries(named) } as RiskRuleEntity;
  const { expiresAt } = rule;
  return {
    ...rule,
    expiresAt: expiresAt && new Date(expiresAt),
    createdAt: new Date(rule.createdAt),
    updatedAt: new Date(rule.updatedAt),
  };
}

const toCamelCase = (column: string): string =>
  column.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
