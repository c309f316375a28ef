import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActionEntity } from '#database';

/** SQL: whether the agent of a row of `actions` may still send to its service. The execution checks the same. */
export const EXECUTABLE_SQL = `EXISTS (
  SELECT FROM agents g JOIN agent_services x ON x.agent_id = g.id
  WHERE g.id = actions.agent_id AND g.is_active AND x.service_id = actions.service_id)`;

/** The first obstacle. Obstacles that can't be removed come first. */
const REASONS = `
  SELECT a.id, CASE
      WHEN g.id IS NULL THEN 'The agent was deleted'
      WHEN a.service_id IS NULL THEN 'The service was deleted'
      WHEN NOT g.is_active THEN 'The agent is revoked'
      ELSE 'The agent no longer has access to this service' END AS reason
  FROM actions a
  LEFT JOIN agents g ON g.id = a.agent_id
  LEFT JOIN agent_services x ON x.agent_id = a.agent_id AND x.service_id = a.service_id
  WHERE a.id = ANY($1::uuid[]) AND (g.is_active AND x.agent_id IS NOT NULL) IS NOT TRUE`;

/**
 * Finds the open actions that can no longer be executed, whatever an approver decides.
 * See docs/reference/states.md#blocked.
 */
@Injectable()
export class ActionBlocks {
  constructor(private readonly source: DataSource) {}

  /**
   * One statement for all actions, by primary key. @returns the reasons by action id. An action that is free or closed has
   * none
   */
  async reasons(actions: ActionEntity[]): Promise<ReadonlyMap<string, string>> {
    const open = actions.filter((action) => ['PENDING', 'APPROVED'].includes(action.effectiveStatus));
    if (open.length === 0) return new Map();
    const rows: { id: string; reason: string }[] = await this.source.query(REASONS, [open.map(({ id }) => id)]);
    return new Map(rows.map(({ id, reason }) => [id, reason]));
  }
}
