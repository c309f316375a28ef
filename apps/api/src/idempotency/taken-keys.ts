import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { IDEMPOTENCY_TTL_HOURS } from '#contracts';
import { ActionEntity, IdempotencyRecordEntity } from '#database';
import type { AgentView } from '../agents/agent-directory.js';
import { PAUSED_SQL } from '../service-view/service-view.js';

/** The facts that decide whether an agent may get the stored answer of a key, from the same snapshot as the answer. */
interface Facts {
  isCurrent: boolean;
  inScope: boolean;
  /** Why the service that gave the answer is paused; null: it is not. */
  paused: string | null;
  isOver: boolean;
}

type KeyFacts = Facts & { isAbandoned: boolean };

/** SQL over a key or an action `r`: the agent may use the service of its answer. */
const IN_SCOPE = 'EXISTS (SELECT FROM agent_services x WHERE x.agent_id = r.agent_id AND x.service_id = r.service_id)';

const IS_CURRENT = 'EXISTS (SELECT FROM agents a WHERE a.id = r.agent_id AND a.version = :version)';

const PAUSED = `(SELECT ${PAUSED_SQL} FROM services s WHERE s.id = r.service_id)`;

/**
 * The record of a key; null if there is none.
 * @param staleMs after this time, a claim without an answer is abandoned
 */
export async function readKey(
  source: DataSource,
  agent: AgentView,
  key: string,
  staleMs: number,
): Promise<{ record: IdempotencyRecordEntity; found: KeyFacts } | null> {
  const isOver = 'r.expires_at <= clock_timestamp()';
  const { entities, raw } = await withFacts(source, IdempotencyRecordEntity, agent, isOver)
    .addSelect('r.created_at < clock_timestamp() - make_interval(secs => :stale)', 'isAbandoned')
    .where('r.agent_id = :agentId AND r.key = :key', { agentId: agent.id, key })
    .setParameter('stale', staleMs / 1000)
    .getRawAndEntities<KeyFacts>();
  return entities.length === 0 ? null : { record: entities[0], found: raw[0] };
}

/** The action that a key is bound to; null if there is none. */
export async function readBoundAction(
  source: DataSource,
  agent: AgentView,
  actionId: string,
): Promise<{ action: ActionEntity; found: Facts } | null> {
  const isOver = 'coalesce(r.executed_at + make_interval(hours => :hours) <= clock_timestamp(), false)';
  const { entities, raw } = await withFacts(source, ActionEntity, agent, isOver)
    .where('r.id = :actionId', { actionId })
    .setParameter('hours', IDEMPOTENCY_TTL_HOURS)
    .getRawAndEntities<Facts>();
  return entities.length === 0 ? null : { action: entities[0], found: raw[0] };
}

/** Selects rows `r` with their facts. @param isOver SQL: whether the time is over in which the key gives this answer */
const withFacts = <Row extends ObjectLiteral>(
  source: DataSource,
  row: EntityTarget<Row>,
  agent: AgentView,
  isOver: string,
) =>
  source
    .createQueryBuilder(row, 'r')
    .addSelect(IS_CURRENT, 'isCurrent')
    .addSelect(IN_SCOPE, 'inScope')
    .addSelect(PAUSED, 'paused')
    .addSelect(isOver, 'isOver')
    .setParameter('version', agent.version);
