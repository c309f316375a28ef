import type { EntityManager } from 'typeorm';
import type { AskedEffect } from '#contracts';
import type { ActionEntity } from '#database';
import type { ActingMember } from '../membership/member.js';
import { errors } from '../platform/errors.js';
import { cautiousRisk, cautiousRiskSql, hasEffects } from './held-assessment.js';
import { isActionId } from './stored-actions.js';
import type { Via } from './via.js';

/** What the workspace asks of people who approve. */
interface DecisionTerms {
  confirmFromRisk: number | null;
  confirmEffects: AskedEffect[];
}

/**
 * Locks the workspace, so that no role and no setting changes, and then the action. What the next statements read about
 * people therefore holds until the decision is made. Changes of members lock the workspace first too.
 */
const LOCK = `
  SELECT w.confirm_from_risk AS "confirmFromRisk", w.confirm_effects AS "confirmEffects", ${cautiousRiskSql('a')} AS risk,
    a.effects, a.assessment_state AS "assessmentState" FROM actions a JOIN workspaces w ON w.id = a.workspace_id
  WHERE a.id = $1 AND a.workspace_id = $2 FOR SHARE OF w FOR NO KEY UPDATE OF a`;

/** @throws ApiError 404, 403 if it can't be decided there */
export async function lockForDecision(
  tx: EntityManager,
  member: ActingMember,
  actionId: string,
  via?: Via,
): Promise<DecisionTerms> {
  const [found]: (DecisionTerms & Pick<ActionEntity, 'effects' | 'assessmentState'> & { risk: number })[] = isActionId(
    actionId,
  )
    ? await tx.query(LOCK, [actionId, member.workspaceId])
    : [];
  if (found === undefined) throw errors.actionNotFound();
  await via?.assertAllowed(tx, member, { id: actionId, risk: found.risk });
  if (via !== undefined && hasEffects(found, found.confirmEffects)) throw errors.decideInDashboard();
  return found;
}

export const needsConfirmation = ({ confirmFromRisk, confirmEffects }: DecisionTerms, action: ActionEntity): boolean =>
  (confirmFromRisk !== null && cautiousRisk(action) >= confirmFromRisk) || hasEffects(action, confirmEffects);
