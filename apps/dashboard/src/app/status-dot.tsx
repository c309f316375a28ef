import { useQuery } from '@tanstack/react-query';
import { Dot } from '../components/dot.js';
import { useLive } from '../lib/live.js';
import { sharedMessages } from '../lib/messages.js';
import { every, modelFails, statusQuery } from '../lib/queries.js';
import { useHasNoWorkspace } from '../lib/workspace.js';

/** How often the shell fetches the gateway's status. */
const STATUS_MS = 20_000;

/**
 * Green when live updates work, amber when the risk model fails, hollow without a connection. Phones have little space,
 * so they show it only when there is a problem.
 */
export function StatusDot({ problemsOnly = false }: { problemsOnly?: boolean }) {
  const live = useLive().connected;
  // Nothing is live without a workspace.
  const connected = useHasNoWorkspace() || live;
  const { data } = useQuery({ ...statusQuery, refetchInterval: every(STATUS_MS) });
  const failing = data != null && modelFails(data);
  const text = !connected
    ? sharedMessages.live.lost
    : failing
      ? sharedMessages.live.modelFails
      : sharedMessages.live.connected;
  if (problemsOnly && connected && !failing) return null;
  return (
    <Dot color={!connected ? undefined : failing ? 'var(--agw-amber)' : 'var(--agw-accent)'} title={text}>
      <span className="visually-hidden">{text}</span>
    </Dot>
  );
}
