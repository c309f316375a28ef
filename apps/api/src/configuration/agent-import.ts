import { Injectable } from '@nestjs/common';
import { CreateAgentRequest, UpdateAgentRequest, type ConfiguredAgent } from '#contracts';
import { AgentRegistry } from '../agents/agent-registry.js';
import { errors } from '../platform/errors.js';
import { validate } from '../platform/http/validation.js';
import { changedFields, isSame, type ImportRun } from './import-run.js';
import { agentFields, type AgentFields } from './stored-configuration.js';

/** Makes the agents of a workspace match a file. */
@Injectable()
export class AgentImport {
  constructor(private readonly agents: AgentRegistry) {}

  /** @param services the ids of all services, by name @returns the ids of all agents, by name */
  async importAgents(
    run: ImportRun,
    given: readonly ConfiguredAgent[],
    services: Map<string, number>,
  ): Promise<Map<string, number>> {
    const { tx, author, stored } = run;
    const names = new Set(given.map(({ name }) => name));
    for (const { id, name } of stored.agents.values()) {
      if (names.has(name)) continue;
      await run.note('deleted', { kind: 'agent', name }, null, () => this.agents.deleteIn(tx, author, id));
    }
    const ids = new Map<string, number>();
    for (const [index, agent] of given.entries()) {
      const before = stored.agents.get(agent.name);
      const fields = agentFields(agent);
      if (before !== undefined) ids.set(agent.name, before.id);
      if (before !== undefined && isSame(before.fields, fields)) continue;
      const how = before === undefined ? 'created' : 'changed';
      const apply = async (): Promise<number> => {
        const scope = fields.services.map((name) => {
          const id = services.get(name);
          if (id === undefined) throw errors.invalid(`services: there is no service "${name}"`);
          return id;
        });
        const id = before?.id ?? (await this.create(run, fields, scope));
        if (before !== undefined && !isSame(before.fields.services, fields.services)) {
          await this.agents.replaceScopeIn(tx, author, id, scope);
        }
        await this.update(run, id, fields, before?.fields);
        return id;
      };
      const change = {
        kind: 'agent' as const,
        name: agent.name,
        ...(before && { fields: changedFields(before.fields, fields) }),
      };
      ids.set(agent.name, await run.note(how, change, `agents.${index}`, apply));
    }
    return ids;
  }

  /** Nobody ever sees this key, so the agent can do nothing before its key is rotated. */
  private async create({ tx, author }: ImportRun, { name }: AgentFields, serviceIds: number[]): Promise<number> {
    // An agent of a file may have no service yet.
    validate(CreateAgentRequest, { name, serviceIds: serviceIds.length > 0 ? serviceIds : [1] });
    return (await this.agents.createIn(tx, author, { name, serviceIds })).agent.id;
  }

  private async update({ tx, author }: ImportRun, id: number, next: AgentFields, before?: AgentFields): Promise<void> {
    const { isActive, callbackHosts, addresses, keyLifetimeDays } = next;
    const fields = { isActive, callbackHosts, addresses, keyLifetimeDays };
    const old = before ?? { isActive: true, callbackHosts: [], addresses: [], keyLifetimeDays: null };
    const changed = Object.entries(fields).filter(([name, value]) => !isSame(old[name as keyof typeof fields], value));
    if (changed.length === 0) return;
    await this.agents.updateIn(tx, author, id, validate(UpdateAgentRequest, Object.fromEntries(changed)));
  }
}
