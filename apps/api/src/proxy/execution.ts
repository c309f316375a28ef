import type { AgentView } from '../agents/agent-directory.js';
import { isActionId } from '../approvals/stored-actions.js';
import type { Refusable } from './refusals.js';

/** The facts about an execution that are known before the action is read. */
export function toExecution(agent: AgentView, actionId: string, requestId: string): Refusable {
  // The caller may send any text as an id.
  const targetUrl = `/proxy/execute/${encodeURIComponent(actionId.toWellFormed())}`;
  return {
    agent,
    call: { kind: 'execution', requestId, targetUrl, actionId: isActionId(actionId) ? actionId : undefined },
    service: null,
    verdict: null,
  };
}
