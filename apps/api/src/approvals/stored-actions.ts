import type { DataSource, EntityManager, QueryDeepPartialEntity, SelectQueryBuilder } from 'typeorm';
import { ACTION_TRANSITIONS, type ActionStatus } from '#contracts';
import { ActionEntity } from '#database';
import { errors } from '../platform/errors.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * SQL: the moment of the transaction, as precise as the cursors of lists. The database's clock sets and compares all
 * times of actions, because the clocks of two instances may differ.
 */
export const NOW = `date_trunc('milliseconds', now())`;

/** Whether a text has the form of an action's id. */
export const isActionId = (text: string): boolean => UUID.test(text);

/** @throws ApiError 404 */
export async function findAction(
  tx: EntityManager,
  where: { id: string; workspaceId?: number; agentId?: number },
): Promise<ActionEntity> {
  const action = isActionId(where.id) ? await tx.findOneBy(ActionEntity, where) : null;
  if (action === null) throw errors.actionNotFound();
  return action;
}

const BODIES = ['body', 'bodyBytes', 'resultBody'];

const fieldsWithoutBodies = (source: DataSource): string[] =>
  source
    .getMetadata(ActionEntity)
    .columns.map(({ propertyName }) => propertyName)
    .filter((name) => !BODIES.includes(name));

/** Whoever reads many actions `a` reads them without their bodies, which could fill the memory. */
export const actionsWithoutBodies = (source: DataSource): SelectQueryBuilder<ActionEntity> =>
  source.createQueryBuilder(ActionEntity, 'a').select(fieldsWithoutBodies(source).map((name) => `a.${name}`));

/**
 * Reads an action without its bodies, which may have megabytes: they are null.
 * @throws ApiError 404
 */
export async function findWithoutBodies(
  tx: EntityManager,
  where: { id: string; agentId?: number },
): Promise<ActionEntity> {
  const select = Object.fromEntries(fieldsWithoutBodies(tx.connection).map((name) => [name, true]));
  const action = isActionId(where.id) ? await tx.findOne(ActionEntity, { where, select }) : null;
  if (action === null) throw errors.actionNotFound();
  return Object.assign(action, { body: null, resultBody: null });
}

/**
 * Every transition goes through this function, apart from approvals, which may leave an action PENDING. The WHERE
 * contains the expected status.
 * @param condition more SQL of the WHERE. Its `:name` are in `parameters`
 */
export async function move(
  tx: EntityManager,
  id: string,
  from: ActionStatus,
  to: ActionStatus,
  condition: string,
  set: QueryDeepPartialEntity<ActionEntity>,
  parameters: Record<string, unknown> = {},
): Promise<boolean> {
  if (!ACTION_TRANSITIONS[from].includes(to)) throw new Error(`no transition from ${from} to ${to}`);
  const result = await tx
    .createQueryBuilder()
    .update(ActionEntity)
    .set({ ...set, status: to })
    .where('id = :id AND status = :from', { id, from })
    .andWhere(condition, parameters)
    .execute();
  return result.affected === 1;
}
