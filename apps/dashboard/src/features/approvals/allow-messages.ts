import type { AllowSimilarWithheld, ImpossibleException, UnlimitedValues } from '#contracts';
import { number } from '../../lib/format.js';

const quoted = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(' and ');

const unlimited: Record<UnlimitedValues, string> = {
  content_type: 'its content type is that of neither JSON nor a form',
  unreadable: 'its body does not fit its content type, or has a field twice',
  no_object: 'its body is JSON, but no object',
  nested: 'its body has objects or lists in a list, or is nested too deeply',
  value: 'it has a number or text that a rule can’t name exactly',
  too_much: 'it has too many values, or they are too long for one rule',
  header: 'it has a header that may be a secret, or one twice',
  operation: 'it names another operation than its method and path',
};

export const allowMessages = {
  title: 'Approve and allow similar requests',
  for: 'For',
  durations: { 15: '15 min', 60: '1 hour', 1440: '1 day' } as Record<number, string>,
  scope: (agent: string, methods: string, path: string, service: string, until: string) =>
    `Until ${until}, ${agent} can send ${methods} ${path} to ${service} without approval`,
  where: 'where',
  anyBody: 'whatever the body and the query say',
  lifts: (rules: readonly string[]) =>
    `This lifts ${rules.length === 1 ? 'the rule' : 'the rules'} ${quoted(rules)} for these requests only. Every other rule still applies.`,
  saved: (saved: number, of: number, service: string) =>
    of === 1
      ? `It would ${saved === 0 ? 'not ' : ''}have saved your last approval for ${service}.`
      : `It would have saved ${number(saved)} of your last ${number(of)} approvals for ${service}.`,
  matched: (matched: number, of: number) => `It matches ${number(matched)} of the last ${number(of)} requests.`,
  matchedHeld: (matched: number, of: number) =>
    `It matches ${number(matched)} of the last ${number(of)} held requests.`,
  counting: 'Comparing with recent requests…',
  notCounted: 'Recent requests could not be compared.',
  impossible: {
    denied: (rules: readonly string[]) =>
      `${quoted(rules)} refuses such requests, and nothing lifts a rule that refuses. Approving this request does not help either while the rule is on.`,
    hard_rule: (rules: readonly string[]) =>
      rules.length === 1
        ? `${quoted(rules)} is a hard rule that nothing lifts. Each such request needs approval. Approve only this one.`
        : `${quoted(rules)} are hard rules that nothing lifts. Each such request needs approval. Approve only this one.`,
    values: (rules: readonly string[], because: UnlimitedValues | null) =>
      `${quoted(rules)} can be lifted only for the values of a request, and those of this one can’t be limited: ${unlimited[because ?? 'value']}. Approve only this request.`,
  } satisfies Record<ImpossibleException['why'], (rules: readonly string[], because: UnlimitedValues | null) => string>,
  ruleName: (methods: string, path: string, agent: string, until: string) =>
    `Allow ${methods} ${path} for ${agent} until ${until}`,
  ruleFailed: (reason: string) => `Approved, but the rule was not created: ${reason}`,
  submit: (duration: string) => `Approve and allow for ${duration}`,
  rules: 'Edit rules…',
  unavailable: 'The agent or the service was deleted.',
  wider: (path: string) => `Include every owner: ${path}`,
  anyValues: 'Any values, whatever the body and the query say',
  any: (field: string) => `Any ${field}`,
  withheld: {
    graphql: 'Not available for GraphQL. The body names the operation, so a rule would allow every mutation.',
    rpc: 'Not available here. The body names the procedure, so a rule would allow every procedure.',
    batch: 'Not available for batches. A rule would allow any batch, whatever it contains.',
    method_override: 'Not available here. The request asks the server to use another method, which a rule can’t match.',
    parameter: 'Not available here. A parameter names the operation, so a rule would allow every operation.',
    ambiguous_path: 'Not available here. Servers may read this path in more than one way.',
  } satisfies Record<AllowSimilarWithheld, string>,
} as const;
