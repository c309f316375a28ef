import { Injectable } from '@nestjs/common';
import { CreateRiskRuleRequest, type ConfiguredRule, type ConfiguredService } from '#contracts';
import { errors } from '../platform/errors.js';
import { validate } from '../platform/http/validation.js';
import { RiskRuleRegistry } from '../rules/risk-rule-registry.js';
import { ServiceRegistry } from '../services/service-registry.js';
import { changedFields, isSame, type ImportRun } from './import-run.js';
import { ruleFields, serviceFields, type StoredService } from './stored-configuration.js';

/** Makes services and their rules match a file. */
@Injectable()
export class ServiceImport {
  constructor(
    private readonly services: ServiceRegistry,
    private readonly rules: RiskRuleRegistry,
  ) {}

  /** @returns the ids of the services of the file, by name */
  async importServices(run: ImportRun, given: readonly ConfiguredService[]): Promise<Map<string, number>> {
    const { tx, author, stored } = run;
    const names = new Set(given.map(({ name }) => name));
    for (const { id, name } of stored.services.values()) {
      if (names.has(name)) continue;
      await run.note('deleted', { kind: 'service', name }, null, () => this.services.deleteIn(tx, author, id));
    }
    const ids = new Map<string, number>();
    for (const [index, service] of given.entries()) {
      const place = `services.${index}`;
      const { name } = service;
      const before = stored.services.get(name);
      const fields = serviceFields(service);
      if (before === undefined) {
        const create = () => this.services.createIn(tx, author, fields);
        ids.set(name, await run.note('created', { kind: 'service', name }, place, create));
        continue;
      }
      ids.set(name, before.id);
      if (isSame(before.fields, fields)) continue;
      const change = { kind: 'service' as const, name, fields: changedFields(before.fields, fields) };
      await run.note('changed', change, place, () => this.services.updateIn(tx, author, before.id, fields));
    }
    return ids;
  }

  /** @param agents the ids of all agents, by name */
  async importRules(
    run: ImportRun,
    { id, before, place, agents }: { id: number; before?: StoredService; place: string; agents: Map<string, number> },
    service: ConfiguredService,
  ): Promise<void> {
    const { tx, author } = run;
    const { name, rules: given } = service;
    if (given === undefined) return;
    const label = (rule: string): string => `${name} / ${rule}`;
    const names = new Set(given.map((rule) => rule.name));
    for (const rule of before?.rules.values() ?? []) {
      if (names.has(rule.name)) continue;
      const change = { kind: 'rule' as const, name: label(rule.name) };
      await run.note('deleted', change, null, () => this.rules.deleteIn(tx, author, id, rule.id));
    }
    for (const [index, rule] of given.entries()) {
      const at = `${place}.rules.${index}`;
      const stored = before?.rules.get(rule.name);
      if (stored !== undefined && isSame(stored.fields, ruleFields(rule))) continue;
      const how = stored === undefined ? 'created' : 'changed';
      const change = {
        kind: 'rule' as const,
        name: label(rule.name),
        ...(stored && { fields: changedFields(stored.fields, ruleFields(rule)) }),
      };
      await run.note(how, change, at, async () => {
        const request = toRequest(rule, agents, run.stored.members);
        if (stored === undefined) await this.rules.createIn(tx, author, id, request);
        else await this.rules.updateIn(tx, author, id, stored.id, request);
      });
    }
  }
}

/** @throws ApiError 400 */
function toRequest(
  rule: ConfiguredRule,
  agents: Map<string, number>,
  members: Map<string, number>,
): CreateRiskRuleRequest {
  const { agents: named, approvers, ...fields } = ruleFields(rule);
  const agentIds = named.map((name) => {
    const id = agents.get(name);
    if (id === undefined) throw errors.invalid(`agents: there is no agent "${name}"`);
    return id;
  });
  const approverIds = approvers.map((email) => {
    const id = members.get(email);
    if (id === undefined) throw errors.invalid(`approvers: there is no member "${email}"`);
    return id;
  });
  return validate(CreateRiskRuleRequest, { ...fields, agentIds, approverIds });
}
