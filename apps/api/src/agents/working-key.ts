import type { EntityManager } from 'typeorm';
import type { AgentEntity } from '#database';
import { errors } from '../platform/errors.js';
import { KEY_EXPIRES_AT_SQL, type AgentView } from './agent-directory.js';
import { allowsAddress, shownAddress } from './client-addresses.js';

/** The key of a request, and the address that it came from. */
export type UsedKey = Pick<AgentView, 'keyHash' | 'from'>;

/** Not `now()`, which is the time before a transaction waited for its locks. */
const WORKS = `
  SELECT EXISTS (SELECT FROM agents a WHERE a.id = $1 AND a.key_hash = $2
      AND coalesce(${KEY_EXPIRES_AT_SQL} > clock_timestamp(), true))
    OR EXISTS (SELECT FROM previous_agent_keys WHERE agent_id = $1 AND key_hash = $2 AND expires_at > clock_timestamp())
    AS works`;

/**
 * Checks in a transaction that a request may still use its key. It may have lost this right since the guard checked it.
 * @param agent locked
 * @throws ApiError 401, 403
 */
export async function assertKeyWorks(tx: EntityManager, agent: AgentEntity, { keyHash, from }: UsedKey): Promise<void> {
  if (!agent.isActive) throw errors.revokedAgentKey();
  const [{ works }]: { works: boolean }[] = await tx.query(WORKS, [agent.id, keyHash]);
  if (!works) throw errors.unknownAgentKey();
  if (from !== undefined && !allowsAddress(agent.addresses, from)) throw errors.addressNotAllowed(shownAddress(from));
}
