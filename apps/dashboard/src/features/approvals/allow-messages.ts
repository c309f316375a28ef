import type { AllowSimilarWithheld } from '#contracts';
import { number } from '../../lib/format.js';

export const allowMessages = {
  title: 'Approve and allow similar requests',
  for: 'For',
  durations: { 15: '15 min', 60: '1 hour', 1440: '1 day' } as Record<number, string>,
  scope: (agent: string, methods: string, path: string, service: string, until: string) =>
    `Until ${until}, ${agent} can send ${methods} ${path} to ${service} without approval.`,
  matched: (matched: number, of: number) => `It matches ${number(matched)} of the last ${number(of)} requests.`,
  overruled: (name: string) =>
    `Rule “${name}” overrides an allow rule, so similar requests would still need approval. Edit that rule, or approve only this request.`,
  submit: (duration: string) => `Approve and allow for ${duration}`,
  rules: 'Edit rules…',
  unavailable: 'The agent or the service was deleted.',
  wider: (path: string) => `Include every owner: ${path}`,
  withheld: {
    graphql: 'Not available for GraphQL. The body names the operation, so a rule would allow every mutation.',
    rpc: 'Not available here. The body names the procedure, so a rule would allow every procedure.',
    batch: 'Not available for batches. A rule would allow any batch, whatever it contains.',
    method_override: 'Not available here. The request asks the server to use another method, which a rule can’t match.',
    parameter: 'Not available here. A parameter names the operation, so a rule would allow every operation.',
    ambiguous_path: 'Not available here. Servers may read this path in more than one way.',
  } satisfies Record<AllowSimilarWithheld, string>,
} as const;
