import type { Action, ActionContext } from '#contracts';
import { Text } from '@mantine/core';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { messages } from './messages.js';

/** Everything that a younger agent does is new, so that says nothing. */
const NEW_AGENT_MS = 24 * 3_600_000;

/** Shows whether the agent has done this before. */
export function NoveltyLine({ action, context }: { action: Action; context: ActionContext | undefined }) {
  if (!context) return null;
  const { earlierRequests, earlierSameMethod, agentCreatedAt } = context.novelty;
  const text =
    earlierRequests === 0
      ? messages.detail.firstEver
      : earlierSameMethod === 0
        ? messages.detail.firstMethod(action.method)
        : messages.detail.earlier(earlierSameMethod, action.method);
  // The counts include only sent requests. For a repeated request, "First" would contradict the notice about the
  // earlier one.
  const showsCounts = action.repeats === null || earlierSameMethod > 0;
  const isNewAgent = Date.parse(action.created_at) - Date.parse(agentCreatedAt ?? '') < NEW_AGENT_MS;
  const stands = earlierRequests === 0 ? !isNewAgent : earlierSameMethod === 0;
  return (
    <Text component="div" size="sm" c="dimmed">
      {showsCounts && (stands ? <Novel>{text}</Novel> : text)}
      {showsCounts && agentCreatedAt && ' · '}
      {agentCreatedAt && <AgentSince at={agentCreatedAt} />}
    </Text>
  );
}

function Novel({ children }: { children: string }) {
  return (
    <Text span inherit c="var(--agw-high)" fw={600}>
      {children}
    </Text>
  );
}

function AgentSince({ at }: { at: string }) {
  const text = useNow((now) => messages.detail.agentSince(ago(at, now)));
  return <span>{text}</span>;
}
