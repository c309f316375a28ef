import { EFFECTS, type Effect } from '#contracts/effects';
import { PROXY_BODY_LARGEST_BYTES } from '#contracts/limits';
import { Clock } from '../platform/clock.js';
import { ApiError, errors } from '../platform/errors.js';
import { readCall } from '../proxy/read-call.js';
import { Refusal } from '../proxy/refusal.js';
import { toProxyCall } from '../proxy/to-proxy-call.js';
import { RequestFacts, type Documented } from '../risk/request-facts.js';
import type { RiskRequest } from '../risk/risk-verdict.js';
import { decideWithoutModel, matchingOf } from '../risk/decide.js';
import type { ServiceView } from '../service-view/service-view.js';
import type { ConfiguredWorkspace } from './configured-workspace.js';
import { CaseFault, type CaseDecision, type CaseRequest, type PolicyCase } from './policy-case.js';

/** What the gateway would decide about a case. */
export interface DecidedCase {
  decision: CaseDecision;
  /** The name of the rule that decides. */
  rule: string | null;
  effects: readonly Effect[];
  /** What else decides. */
  because: string | null;
}

/** What the documents say about a request. */
export type FindDocumented = (service: ServiceView, request: RiskRequest) => Documented;

const refused = ({ message }: ApiError): DecidedCase => ({
  decision: 'refused',
  rule: null,
  effects: [],
  because: message,
});

/** @throws CaseFault if the case names something that the configuration lacks */
export async function decideCase(
  { line, service: serviceName, agent: agentName, request, firstTime, atMs }: PolicyCase,
  { services, agents, egress }: ConfiguredWorkspace,
  findDocumented: FindDocumented,
): Promise<DecidedCase> {
  const named = services.get(serviceName);
  if (named === undefined) throw new CaseFault(line, `service: there is no service "${serviceName}"`);
  const agent = agents.get(agentName);
  if (agent === undefined) throw new CaseFault(line, `agent: there is no agent "${agentName}"`);
  if (!agent.isActive) return refused(errors.revokedAgentKey());
  try {
    const read = readCall(agent, await toCall(request, named), egress);
    if (read instanceof Refusal) return refused(read);
    const { service, riskRequest } = read;
    if (service !== named) {
      throw new CaseFault(line, `service: the gateway takes this target for the service "${service.name}"`);
    }
    const facts = new RequestFacts(riskRequest, service.baseUrl, findDocumented(service, riskRequest), firstTime);
    const found = matchingOf(service, agent.id, riskRequest, atMs ?? new Clock().nowMs(), facts);
    const { decision, rule, asked } = decideWithoutModel(found, service.askFor, facts);
    return {
      decision: decision ?? 'model',
      rule: rule?.name ?? null,
      // Computed only where a case, a rule or the service asks for them.
      get effects() {
        const words = facts.effects.map(({ effect }) => effect);
        return EFFECTS.filter((effect) => words.includes(effect));
      },
      because:
        rule !== null
          ? null
          : becauseOf(
              decision,
              asked.map(({ effect }) => effect),
            ),
    };
  } catch (error) {
    if (error instanceof ApiError) return refused(error);
    throw error;
  }
}

const becauseOf = (decision: string | null, asked: readonly Effect[]): string | null =>
  decision === 'deny' ? errors.pathNotCompared().message : asked.length > 0 ? `asks for ${asked.join(', ')}` : null;

function toCall({ path, headers, body, bodyBase64, intent, ...request }: CaseRequest, service: ServiceView) {
  const targetUrl = request.targetUrl ?? service.baseUrl.replace(/\/+$/, '') + path!;
  const given = {
    method: request.method,
    targetUrl,
    headers,
    body,
    ...(bodyBase64 !== null && { bodyBase64 }),
    intent: intent ?? 'Not given',
  };
  const terms = {
    waitSeconds: 0,
    // So no key is needed.
    dryRun: true,
    requestId: '',
    room: null,
    gone: () => new AbortController().signal,
    serviceId: service.id,
    unstatedIntent: intent === null,
  };
  return toProxyCall(given, null, terms, { maxBytes: PROXY_BODY_LARGEST_BYTES });
}
