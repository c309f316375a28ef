import type { AgentView } from '../agents/agent-directory.js';
import type { ProxyOutcome } from './outcome.js';
import type { ProxyCall } from './proxy-call.js';

/** What an interceptor sees of an agent's call. An Express request behind our guards is one. */
export interface Exchange {
  /** Another view of the same agent, once the configuration has changed under the call. */
  agent: AgentView;
  /** Where something is to be sent, and not an approved action executed. */
  proxyCall?: ProxyCall;
  requestId: string;
  path: string;
  params: { actionId?: string | string[] };
}

export type Handle = () => Promise<ProxyOutcome>;

/**
 * An interceptor by promises, called by the handler: Nest's own, over rxjs, cost a proxied request a tenth more CPU (ADR 0014).
 * It goes around whatever stands inside it, which it may call again.
 */
export interface Around {
  around(exchange: Exchange, handle: Handle): Promise<ProxyOutcome>;
}

/** Calls the handler inside the interceptors, of which the first is the outermost. */
export function inside(interceptors: readonly Around[], exchange: Exchange, handle: Handle): Promise<ProxyOutcome> {
  return interceptors.reduceRight<Handle>((inner, each) => () => each.around(exchange, inner), handle)();
}
