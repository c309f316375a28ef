import {
  Configuration,
  type ConfiguredAgent,
  type ConfiguredRule,
  type ConfiguredService,
} from '#contracts/configuration';
import { CreateRiskRuleRequest } from '#contracts/risk-rules';
import { allowlistKey } from '#egress';
import type { AgentView } from '../agents/agent-directory.js';
import { assertNamesOnce } from '../configuration/import-run.js';
import { assertOAuth } from '../connections/oauth-rules.js';
import { assertAuth } from '../credentials/kinds/auth-rules.js';
import type { EgressConfig } from '../platform/config.js';
import { ApiError, errors } from '../platform/errors.js';
import { validate } from '../platform/http/validation.js';
import { toLimit } from '../rules/risk-rule-mapper.js';
import type { ServiceRule, ServiceView } from '../service-view/service-view.js';
import { assertBaseUrl } from '../services/base-url.js';
// Registers what the classes of rules can't express.
import '../rules/risk-rule-faults.js';

/** A workspace as its exported configuration describes it. */
export interface ConfiguredWorkspace {
  services: ReadonlyMap<string, ServiceView>;
  agents: ReadonlyMap<string, AgentView>;
  egress: EgressConfig;
}

export interface ReadConfiguration {
  configuration: Configuration;
  workspace: ConfiguredWorkspace;
}

/**
 * Checks a configuration like its import (docs/reference/configuration-file.md#import), as far as that needs no
 * workspace: members and stored documents are not known.
 * @throws ApiError 400
 */
export function configuredWorkspace(given: object): ReadConfiguration {
  const configuration = validate(Configuration, given, true);
  const { services = [], agents = [] } = configuration;
  assertNamesOnce(
    [services, 'services'],
    [agents, 'agents'],
    ...services.map(({ rules = [] }, index): [typeof rules, string] => [rules, `services.${index}.rules`]),
  );
  const agentIds = new Map(agents.map(({ name }, index) => [name, index + 1]));
  const views = new Map(services.map((service, index) => [service.name, toService(service, index, agentIds)]));
  const agentViews = agents.map((agent, index): [string, AgentView] => [agent.name, toAgent(agent, index, views)]);
  const egress = egressFor([...views.values()]);
  return { configuration, workspace: { services: views, agents: new Map(agentViews), egress } };
}

function named(services: ReadonlyMap<string, ServiceView>, name: string): ServiceView {
  const found = services.get(name);
  if (found === undefined) throw errors.invalid(`services: there is no service "${name}"`);
  return found;
}

/** Prefixes errors with their place in the file. */
function placed<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ApiError ? errors.invalid(`${place}: ${error.message}`) : error;
  }
}

function toService(service: ConfiguredService, index: number, agentIds: ReadonlyMap<string, number>): ServiceView {
  const { name, baseUrl, authType, auth = null, oauth = null, askFor = [], rules = [] } = service;
  const requestCodings = service.requestCodings ?? (auth?.aws === undefined ? 'decode' : 'keep');
  const place = `services.${index}`;
  placed(place, () => {
    assertBaseUrl(baseUrl);
    assertAuth({ authType, auth, baseUrl });
    assertOAuth(authType, oauth);
  });
  return {
    id: index + 1,
    workspaceId: 1,
    owner: { allowed: true, creator: null },
    name,
    baseUrl,
    authType,
    auth,
    oauth,
    connection: null,
    rewriteLinks: 'headers',
    requestCodings,
    baseUrlDefaults: { idempotency: 'required', wait: 0 },
    credentialOrigins: null,
    // The file has no names of credentials either.
    credentials: new Map(),
    previous: null,
    rules: rules.flatMap((rule, at) => placed(`${place}.rules.${at}`, () => toRule(rule, at + 1, agentIds)) ?? []),
    observed: [],
    askFor,
    documentIds: (service.documentation ?? []).map((_, at) => at + 1),
    documentsVersion: '',
    paused: null,
    version: 1,
  };
}

/** Null: the rule is switched off, or only observed. */
function toRule(configured: ConfiguredRule, id: number, agents: ReadonlyMap<string, number>): ServiceRule | null {
  const { agents: names = [], approvers = [], ...fields } = configured;
  const agentIds = names.map((name) => {
    const found = agents.get(name);
    if (found === undefined) throw errors.invalid(`agents: there is no agent "${name}"`);
    return found;
  });
  const approverIds = [...new Set(approvers.map((email) => email.toLowerCase()))].map((_, index) => index + 1);
  const rule = validate(CreateRiskRuleRequest, { ...fields, agentIds, approverIds });
  if (rule.isActive === false || rule.mode === 'observe') return null;
  return {
    id,
    name: rule.name,
    effect: rule.effect,
    methods: rule.methods ?? [],
    pathPattern: rule.pathPattern ?? '',
    when: rule.when?.trim() ?? '',
    instruction: rule.instruction ?? '',
    agentIds,
    approvals: rule.approvals ?? 1,
    approverIds,
    expiresAt: null,
    maxUses: null,
    limit: rule.limit ? toLimit(rule.limit) : null,
    createdAt: 0,
  };
}

const toAgent = (
  { name, isActive = true, services: scope }: ConfiguredAgent,
  index: number,
  services: ReadonlyMap<string, ServiceView>,
): AgentView => ({
  id: index + 1,
  workspaceId: 1,
  madeBy: null,
  name,
  keyHash: '',
  key: '',
  keys: [],
  isPreviousKey: false,
  keyMadeBy: null,
  keyEndsAtMs: null,
  isActive,
  addresses: [],
  paused: null,
  services: placed(`agents.${index}`, () => scope.map((each) => named(services, each))),
  version: 1,
});

/** Which private addresses the gateway may reach is one of its settings, which the file does not have. */
const egressFor = (services: readonly ServiceView[]): EgressConfig => ({
  privateTargetAllowlist: new Set(services.map(({ baseUrl }) => allowlistKey(new URL(baseUrl)))),
  privateTargetAccess: 'all',
  adminEmail: null,
  callbackPrivateHosts: new Set(),
  channelPrivateHosts: new Set(),
  ownTargets: new Set(),
  timeouts: { upstreamMs: 0, tokenEndpointMs: 0, receiverMs: 0 },
});
