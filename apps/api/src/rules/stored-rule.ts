import type { EntityManager } from 'typeorm';
import { RiskRuleEntity } from '#database';
import { errors } from '../platform/errors.js';

/** @throws ApiError 404 */
export async function findRule(tx: EntityManager, serviceId: number, id: number): Promise<RiskRuleEntity> {
  const rule = await tx.findOneBy(RiskRuleEntity, { id, serviceId });
  if (!rule) throw errors.ruleNotFound();
  return rule;
}
