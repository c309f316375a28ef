import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActionEntity } from '#database';
import type { Approvers } from './approvers.js';

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

const FACTS = `
  SELECT (SELECT json_object_agg(r.id, r.reason) FROM (${REASONS}) r) AS blocked,
    (SELECT json_agg(json_build_object('id', u.id, 'name', u.name) ORDER BY u.name, u.id)
     FROM workspace_members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = $2 AND m.role IN ('approver', 'admin', 'owner')) AS people,
    (SELECT separation_of_duties FROM workspaces WHERE id = $2) AS "separationOfDuties"`;

/** The facts that open actions of a workspace depend on, besides the actions themselves. */
export interface ActionFacts {
  /**
   * By the id of an action: why it can no longer be executed, even if an approver approves it. See
   * docs/reference/states.md#blocked.
   */
  blocked: ReadonlyMap<string, string>;
  approvers: Approvers;
}

interface Row {
  blocked: Record<string, string> | null;
  people: Approvers['people'] | null;
  separationOfDuties: boolean | null;
}

const NONE: ActionFacts = { blocked: new Map(), approvers: { people: [], separationOfDuties: false } };

/** Finds the facts that open actions depend on: their agents and services, and the people who may approve. */
@Injectable()
export class ActionFactsReader {
  constructor(private readonly source: DataSource) {}

  /** One statement for all actions. */
  async of(
    workspaceId: number,
    actions: ActionEntity[],
    manager: EntityManager = this.source.manager,
  ): Promise<ActionFacts> {
    const open = actions.filter((action) => ['PENDING', 'APPROVED'].includes(action.effectiveStatus));
    if (open.length === 0) return NONE;
    const [row]: Row[] = await manager.query(FACTS, [open.map(({ id }) => id), workspaceId]);
    return {
      blocked: new Map(Object.entries(row.blocked ?? {})),
      approvers: { people: row.people ?? [], separationOfDuties: row.separationOfDuties ?? false },
    };
  }
}
