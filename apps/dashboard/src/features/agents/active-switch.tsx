import type { Agent } from '#contracts';
import { Switch } from '@mantine/core';
import { useMay } from '../../lib/workspace.js';
import { AgentState } from './agent-state.js';
import { messages } from './messages.js';
import { useSetActive } from './use-set-active.js';

/**
 * Revokes or restores an agent. Both apply from the next request. People who are not administrators only see whether it
 * is active.
 */
export function ActiveSwitch({ agent }: { agent: Agent }) {
  const setActive = useSetActive(agent);
  if (!useMay('admin')) return agent.isActive ? messages.active : <AgentState agent={agent} />;
  return (
    <Switch
      aria-label={messages.switchLabel(agent.name)}
      checked={setActive.isPending ? setActive.variables : agent.isActive}
      disabled={setActive.isPending}
      onChange={(event) => setActive.mutate(event.currentTarget.checked)}
    />
  );
}
