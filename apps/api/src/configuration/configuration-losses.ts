import type { EntityManager } from 'typeorm';
import type { Configuration, ConfigurationChange, ConfigurationLoss, ConfiguredAgent } from '#contracts';
import { OAUTH_TOKENS } from '../credentials/credential-rules.js';
import { isSame, type ImportChanges } from './import-run.js';
import { agentFields, type Stored, type StoredService } from './stored-configuration.js';

/** What belongs to the services and agents of a workspace, and is not in a file. */
export interface Belongings {
  /** By the ids of the services. */
  services: ReadonlyMap<number, OfService>;
  /** Open actions. */
  open: readonly { serviceId: number | null; agentId: number; count: number }[];
}

interface OfService {
  id: number;
  authType: string;
  credentials: string[];
  isConnected: boolean;
  rules: number;
  documents: number;
}

const SERVICES = `
  SELECT s.id, s.auth_type AS "authType",
    ARRAY(SELECT c.name FROM credentials c WHERE c.service_id = s.id ORDER BY c.name) AS credentials,
    EXISTS (SELECT FROM connections c WHERE c.service_id = s.id AND c.connected_by_name IS NOT NULL) AS "isConnected",
    (SELECT count(*)::int FROM risk_rules r WHERE r.service_id = s.id) AS rules,
    (SELECT count(*)::int FROM service_documents d WHERE d.service_id = s.id) AS documents
  FROM services s WHERE s.workspace_id = $1`;

const OPEN = `
  SELECT service_id AS "serviceId", agent_id AS "agentId", count(*)::int AS count FROM actions
  WHERE workspace_id = $1 AND status IN ('PENDING', 'APPROVED') GROUP BY service_id, agent_id`;

export async function readBelongings(tx: EntityManager, workspaceId: number): Promise<Belongings> {
  const services: OfService[] = await tx.query(SERVICES, [workspaceId]);
  const open: Belongings['open'] = await tx.query(OPEN, [workspaceId]);
  return { services: new Map(services.map((service) => [service.id, service])), open };
}

/** Adds to each change of the result what goes with it. */
export function addLosses(
  { created, changed, deleted }: ImportChanges,
  stored: Stored,
  given: Configuration,
  before: Belongings,
  after: Belongings,
): void {
  for (const change of changed) {
    if (change.kind === 'service') addLoss(change, secretsLost(stored.services.get(change.name)!.id, before, after));
  }
  for (const change of deleted) {
    if (change.kind === 'service')
      addLoss(change, serviceLoss(stored.services.get(change.name)!, stored, before, after));
    if (change.kind === 'agent') addLoss(change, agentLoss(stored.agents.get(change.name)!.id, before));
    const names = equalNames(change, stored, given);
    const equals = created.filter(({ kind, name }) => kind === change.kind && names.includes(name));
    if (equals.length === 1) change.likelyRenamedTo = equals[0].name;
  }
}

/** Leaves out what is not lost. */
function addLoss(change: ConfigurationChange, loss: ConfigurationLoss): void {
  const loses = Object.entries(loss).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value)));
  if (loses.length > 0) change.loses = Object.fromEntries(loses);
}

function secretsLost(id: number, before: Belongings, after: Belongings): ConfigurationLoss {
  const had = before.services.get(id)!;
  const has = after.services.get(id);
  return {
    credentials: secretNames(had).filter((name) => has?.credentials.includes(name) !== true),
    ...(had.isConnected && has?.isConnected !== true && { connection: true }),
  };
}

function serviceLoss(
  { id, name }: StoredService,
  stored: Stored,
  before: Belongings,
  after: Belongings,
): ConfigurationLoss {
  const { rules, documents } = before.services.get(id)!;
  const agents = [...stored.agents.values()].filter(({ fields }) => fields.services.includes(name));
  return {
    ...secretsLost(id, before, after),
    agents: agents.map((agent) => agent.name).sort(),
    rules,
    documents,
    waiting: countOpen(before.open.filter(({ serviceId }) => serviceId === id)),
  };
}

const agentLoss = (id: number, { open }: Belongings): ConfigurationLoss => ({
  keys: true,
  waiting: countOpen(open.filter(({ agentId }) => agentId === id)),
});

const countOpen = (open: Belongings['open']): number => open.reduce((sum, { count }) => sum + count, 0);

/** The tokens of OAuth are part of the connection. */
const secretNames = ({ authType, credentials }: OfService): string[] =>
  authType === 'oauth2' ? credentials.filter((name) => !OAUTH_TOKENS.includes(name)) : credentials;

/** The names of those in the file that may be the deleted thing, under another name. */
function equalNames({ kind, name }: ConfigurationChange, stored: Stored, given: Configuration): string[] {
  if (kind === 'service') {
    const { baseUrl } = stored.services.get(name)!.fields;
    return (given.services ?? []).filter((service) => service.baseUrl === baseUrl).map((service) => service.name);
  }
  if (kind !== 'agent') return [];
  const { fields } = stored.agents.get(name)!;
  const isEqual = (agent: ConfiguredAgent): boolean => isSame(agentFields({ ...agent, name }), fields);
  return (given.agents ?? []).filter(isEqual).map((agent) => agent.name);
}
