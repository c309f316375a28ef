import type { EntityManager } from 'typeorm';
import { WorkspaceEntity } from '#database';
import type { ActingMember } from '../membership/member.js';
import { errors } from '../platform/errors.js';

/** A place outside the dashboard where a person decides. */
export interface Via {
  /** The name that the audit record shows. */
  name: string;
  /**
   * Called under the locks of the decision, before anything changes.
   * @param action its `risk` is 1 until the model has assessed it
   * @throws ApiError
   */
  assertAllowed(tx: EntityManager, member: ActingMember, action: { id: string; risk: number }): Promise<void>;
}

/**
 * A notification on the person's own device. It shows less than the dashboard, so owners choose for which risks that is
 * enough.
 */
export const NOTIFICATION: Via = {
  name: 'notification',
  async assertAllowed(tx, { workspaceId }, { risk }) {
    const { approveInNotificationsBelow: below } = await tx.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    if (below === null || risk >= below) throw errors.decideInDashboard();
  },
};
