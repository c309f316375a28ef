import { Anchor, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { announce } from '../../lib/announce.js';
import { onLive } from '../../lib/live.js';
import { firstRequestQuery } from '../../lib/queries.js';
import { Callout } from '../notices.js';
import { messages } from './messages.js';

const HINT_MS = 30_000;
const POLL_MS = 2000;

/** Waits for the agent's first request, then turns green and links to it. */
export function FirstRequest({ agentId }: { agentId: number }) {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...firstRequestQuery(agentId),
    refetchInterval: (query) => (query.state.data?.items.length ? false : POLL_MS),
  });
  const [late, setLate] = useState(false);
  const record = data?.items[0];
  const arrived = record !== undefined;
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), HINT_MS);
    return () => clearTimeout(timer);
  }, []);
  // A held request and the first use of a key raise an event, so there is no need to wait for the next poll.
  useEffect(
    () => onLive(() => void queryClient.invalidateQueries({ queryKey: firstRequestQuery(agentId).queryKey })),
    [queryClient, agentId],
  );
  useEffect(() => {
    if (arrived) announce(messages.arrived);
  }, [arrived]);

  if (!record) {
    return (
      <Stack gap={6}>
        <Group gap={10} fw={600}>
          <Loader size={16} />
          {messages.waiting}
        </Group>
        {late && (
          <Text c="dimmed" size="sm">
            {messages.hint}
          </Text>
        )}
      </Stack>
    );
  }
  const held = record.outcome === 'held' && record.actionId;
  return (
    <Callout tone="success">
      <b>{messages.arrived}</b>{' '}
      {record.outcome === 'forwarded'
        ? messages.outcome.forwarded
        : held
          ? messages.outcome.held
          : messages.outcome.other}{' '}
      <Anchor component={Link} to={held ? `/approvals/${record.actionId}` : `/history?id=${record.id}`} size="sm">
        {held ? messages.seeHeld : messages.see}
      </Anchor>
    </Callout>
  );
}
