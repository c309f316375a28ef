import type { EntityManager } from 'typeorm';
import {
  sortedEffects,
  type BaseUrlDefaults,
  type Configuration,
  type ConfiguredAgent,
  type ConfiguredRule,
  type ConfiguredService,
} from '#contracts';
import {
  AgentEntity,
  AgentServiceEntity,
  RiskRuleEntity,
  ServiceDocumentEntity,
  ServiceEntity,
  WorkspaceEntity,
} from '#database';
import { errors } from '../platform/errors.js';
import { toLimit } from '../rules/risk-rule-mapper.js';
import { toSettings } from '../workspaces/workspace-mapper.js';
import { byName, type Named } from './named.js';

export interface StoredDocument extends Named {
  id: number;
  type: ServiceDocumentEntity['type'];
  sha256: string;
}

/** A stored service, with the ids of the things that its configuration names. */
export interface StoredService {
  id: number;
  name: string;
  fields: ServiceFields;
  documents: Map<string, StoredDocument>;
  rules: Map<string, { id: number; name: string; fields: RuleFields }>;
}

export interface StoredAgent {
  id: number;
  name: string;
  fields: AgentFields;
}

export interface Stored {
  settings: Required<NonNullable<Configuration['settings']>>;
  services: Map<string, StoredService>;
  agents: Map<string, StoredAgent>;
  /** The ids of the members, by their e-mails in lower case. */
  members: Map<string, number>;
}

/** Everything that a file says about a service besides its lists, with defaults in place of what it leaves out. */
export type ServiceFields = Required<Omit<ConfiguredService, 'documentation' | 'rules'>>;
export type RuleFields = Required<ConfiguredRule>;
export type AgentFields = Required<ConfiguredAgent>;

export const BASE_URL_DEFAULTS: BaseUrlDefaults = { idempotency: 'required', wait: 0 };

export const serviceFields = (service: ConfiguredService): ServiceFields => ({
  name: service.name,
  baseUrl: service.baseUrl,
  authType: service.authType,
  auth: service.auth ?? null,
  oauth: service.oauth ?? null,
  rewriteLinks: service.rewriteLinks ?? 'headers',
  requestCodings: service.requestCodings ?? null,
  baseUrlDefaults: { ...BASE_URL_DEFAULTS, ...definedIn(service.baseUrlDefaults ?? {}) },
  rotateEveryDays: service.rotateEveryDays ?? null,
  askFor: sortedEffects(service.askFor ?? []),
});

export const ruleFields = (rule: ConfiguredRule): RuleFields => ({
  name: rule.name,
  effect: rule.effect,
  methods: [...new Set(rule.methods ?? [])].sort(),
  pathPattern: rule.pathPattern ?? '',
  when: rule.when?.trim() ?? '',
  instruction: rule.instruction ?? '',
  agents: [...new Set(rule.agents ?? [])].sort(),
  approvals: rule.approvals ?? 1,
  approvers: [...new Set((rule.approvers ?? []).map((email) => email.toLowerCase()))].sort(),
  limit: rule.limit ? toLimit(rule.limit) : null,
  isActive: rule.isActive ?? true,
  mode: rule.mode ?? 'enforce',
  // Of a file that does not say so, a rule stays a hard one.
  exceptions: rule.exceptions ?? 'none',
});

export const agentFields = (agent: ConfiguredAgent): AgentFields => ({
  name: agent.name,
  services: [...new Set(agent.services)].sort(),
  isActive: agent.isActive ?? true,
  callbackHosts: agent.callbackHosts ?? [],
  addresses: agent.addresses ?? [],
  keyLifetimeDays: agent.keyLifetimeDays ?? null,
});

const definedIn = <T extends object>(object: T): Partial<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;

const DOCUMENTS = `
  SELECT d.id, d.service_id AS "serviceId", d.title AS name, d.type,
    encode(sha256(convert_to(d.content, 'UTF8')), 'hex') AS sha256
  FROM service_documents d JOIN services s ON s.id = d.service_id WHERE s.workspace_id = $1`;

const MEMBERS = `
  SELECT u.id, lower(u.email) AS email FROM workspace_members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1`;

const isKnown = (ids: readonly number[], names: ReadonlyMap<number, string>): boolean =>
  ids.length === 0 || ids.some((id) => names.has(id));

/**
 * Reads the part of a workspace that a configuration file can contain.
 * @throws ApiError 409 if a name is not unique
 */
export async function readStored(tx: EntityManager, workspaceId: number): Promise<Stored> {
  const workspace = await tx.findOneBy(WorkspaceEntity, { id: workspaceId });
  if (workspace === null) throw errors.resourceNotFound();
  const services = await tx.findBy(ServiceEntity, { workspaceId });
  const agents = await tx.findBy(AgentEntity, { workspaceId });
  const scopes = await tx
    .createQueryBuilder(AgentServiceEntity, 'x')
    .innerJoin(AgentEntity, 'a', 'a.id = x.agentId')
    .where('a.workspaceId = :workspaceId', { workspaceId })
    .getMany();
  const rules = await tx
    .createQueryBuilder(RiskRuleEntity, 'r')
    .innerJoin(ServiceEntity, 's', 's.id = r.serviceId')
    // Rules with an end belong to decisions.
    .where('s.workspaceId = :workspaceId AND r.expiresAt IS NULL AND r.maxUses IS NULL', { workspaceId })
    .getMany();
  const documents: (StoredDocument & { serviceId: number })[] = await tx.query(DOCUMENTS, [workspaceId]);

  const people: { id: number; email: string }[] = await tx.query(MEMBERS, [workspaceId]);

  const emails = new Map(people.map(({ id, email }) => [id, email]));
  const serviceNames = new Map(services.map(({ id, name }) => [id, name]));
  const agentNames = new Map(agents.map(({ id, name }) => [id, name]));
  const storedServices = services.map((service) =>
    storedService(service, {
      // If all agents or all approvers that a rule names are gone, a file that names none would say: everyone.
      rules: rules
        .filter(({ serviceId }) => serviceId === service.id)
        .filter(({ agentIds, approverIds }) => isKnown(agentIds, agentNames) && isKnown(approverIds, emails)),
      documents: documents.filter(({ serviceId }) => serviceId === service.id),
      agentNames,
      emails,
    }),
  );
  const storedAgents = agents.map((agent): StoredAgent => {
    const scope = scopes.filter(({ agentId }) => agentId === agent.id);
    const named = scope.flatMap(({ serviceId }) => serviceNames.get(serviceId) ?? []);
    return { id: agent.id, name: agent.name, fields: agentFields({ ...agent, services: named }) };
  });
  return {
    settings: toSettings(workspace),
    services: byName(storedServices, 'services'),
    agents: byName(storedAgents, 'agents'),
    members: new Map(people.map(({ id, email }) => [email, id])),
  };
}

interface OfService {
  rules: readonly RiskRuleEntity[];
  documents: readonly StoredDocument[];
  agentNames: ReadonlyMap<number, string>;
  emails: ReadonlyMap<number, string>;
}

function storedService(service: ServiceEntity, { rules, documents, agentNames, emails }: OfService): StoredService {
  const { id, name } = service;
  const baseUrlDefaults = { idempotency: service.baseUrlIdempotency, wait: service.baseUrlWait };
  const own = rules.map((rule) => {
    const agents = rule.agentIds.flatMap((agentId) => agentNames.get(agentId) ?? []);
    const approvers = rule.approverIds.flatMap((userId) => emails.get(userId) ?? []);
    return { id: rule.id, name: rule.name, fields: ruleFields({ ...rule, agents, approvers }) };
  });
  return {
    id,
    name,
    fields: serviceFields({ ...service, baseUrlDefaults }),
    documents: byName(documents, `documents of ${name}`),
    rules: byName(own, `rules of ${name}`),
  };
}
