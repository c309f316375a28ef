import type { EntityManager } from 'typeorm';
import type { ActionEntity } from '#database';
import type { Member } from '../membership/member.js';

/** A place outside the dashboard where a person decides. */
export interface Via {
  /** For the record. */
  name: string;
  /** Called under the locks of the decision, before anything changes. @throws ApiError */
  assertAllowed(tx: EntityManager, member: Member, action: Pick<ActionEntity, 'id' | 'riskScore'>): Promise<void>;
}
