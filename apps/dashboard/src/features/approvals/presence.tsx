import type { Action } from '#contracts';
import { Group } from '@mantine/core';
import { Dot } from '../../components/dot.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { messages } from './messages.js';

/** A long poll checks once a minute. An agent that is silent for longer has stopped. */
const STILL_WAITING_MS = 75_000;

/** Shows whether the agent still waits for the decision. */
export function Presence({ action }: { action: Action }) {
  const at = action.last_polled_at;
  const here = useNow((now) => at !== null && now - Date.parse(at) < STILL_WAITING_MS);
  const text = useNow((now) =>
    at === null
      ? messages.detail.neverPolled
      : here
        ? messages.detail.polled(ago(at, now))
        : messages.detail.stopped(ago(at, now)),
  );
  return (
    <Group gap="sm" wrap="nowrap" fz="sm" c="dimmed">
      <Dot color={here ? 'var(--agw-accent)' : undefined} />
      {text}
    </Group>
  );
}
