/**
 * SQL: the ids of the people who may hold a working key of a row of `agents`: who made the agent, and who rotated a key
 * that still works. An element is null if the account was deleted.
 */
export const agentMakersSql = (agent: string): string => `(ARRAY[${agent}.user_id, ${agent}.key_rotated_by] || ARRAY(
  SELECT k.rotated_by FROM previous_agent_keys k WHERE k.agent_id = ${agent}.id AND k.expires_at > clock_timestamp()))`;

/**
 * SQL: the ids of the people who may have asked for a row of `actions`. These are the people who could ask when it was
 * queued, because their key may have ended since, and the people who can ask now.
 */
export const askersSql = (action: string): string =>
  `(${action}.key_makers || coalesce((SELECT ${agentMakersSql('g')} FROM agents g WHERE g.id = ${action}.agent_id), '{}'))`;
