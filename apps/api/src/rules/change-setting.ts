import type { EntityManager } from 'typeorm';
import type { ChangeAuthor } from '../membership/change-author.js';

/** Tells the database who makes the changes of this transaction. The versions of rules say it. */
export const setAuthor = (tx: EntityManager, { id, name }: ChangeAuthor['actor']): Promise<unknown> =>
  tx.query(`SELECT set_config('agent_gateway.changed_by', $1, true)`, [JSON.stringify({ id, name })]);
