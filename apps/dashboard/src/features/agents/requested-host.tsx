import type { Agent } from '#contracts';
import { Button, Group, Stack } from '@mantine/core';
import { Callout } from '../../components/notices.js';
import { failure } from '../../lib/http.js';
import { useMay } from '../../lib/workspace.js';
import { messages } from './messages.js';
import { useSaveHosts } from './use-save-hosts.js';

const text = messages.hosts;

/**
 * The callback host that the agent requests, and for administrators buttons to allow or decline it. Renders nothing if
 * there is none.
 */
export function RequestedHost({ agent }: { agent: Agent }) {
  const may = useMay('admin');
  const save = useSaveHosts(agent);
  const host = agent.callbackRequestedHost;
  if (host === null) return null;
  return (
    <Callout tone="warning">
      <Stack>
        <span>
          {text.requested(agent.name)}{' '}
          <strong className="mono" translate="no">
            {host}
          </strong>
          . {text.requestedHint}
        </span>
        <div role="alert">{save.isError && <span>{failure(save.error).message}</span>}</div>
        {may && (
          <Group gap="sm">
            <Button
              size="xs"
              loading={save.isPending}
              aria-label={`${text.allow} ${host}`}
              onClick={() => save.mutate([...agent.callbackHosts, host])}
            >
              {text.allow}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={save.isPending}
              aria-label={`${text.decline} ${host}`}
              onClick={() => save.mutate(agent.callbackHosts)}
            >
              {text.decline}
            </Button>
          </Group>
        )}
      </Stack>
    </Callout>
  );
}
