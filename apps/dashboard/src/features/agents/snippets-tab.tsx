import type { Agent } from '#contracts';
import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { FirstRequest } from '../../components/agent-key/first-request.js';
import { SnippetTabs } from '../../components/agent-key/snippet-tabs.js';
import { EmptyState } from '../../components/notices.js';
import { servicesQuery } from '../../lib/queries.js';
import { KEY_PLACEHOLDER } from '../../lib/snippets.js';
import { useMay } from '../../lib/workspace.js';
import { messages } from './messages.js';
import { tryUrl } from './try-url.js';

const text = messages.snippets;

/** Snippets without the key, which only the agent has. */
export function SnippetsTab({ agent }: { agent: Agent }) {
  const { data: services = [] } = useQuery(servicesQuery);
  const may = useMay('admin');
  const [chosen, setChosen] = useState<number | null>(null);
  const service = agent.services.find(({ id }) => id === chosen) ?? agent.services[0];
  if (!service) {
    return (
      <EmptyState
        icon="services"
        title={text.noServices}
        action={
          may && (
            <Button component={Link} to={`/agents/${agent.id}/access`}>
              {messages.tabs.access}
            </Button>
          )
        }
      />
    );
  }
  return (
    <Stack maw={800}>
      <Text c="dimmed">{text.lead}</Text>
      <NativeSelect
        label={text.service}
        maw={420}
        value={String(service.id)}
        data={agent.services.map(({ id, name }) => ({ value: String(id), label: name }))}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <SnippetTabs
        key={service.id}
        gateway={location.origin}
        agentKey={KEY_PLACEHOLDER}
        targetUrl={tryUrl([service], services)}
      />
      {agent.lastUsedAt === null && <FirstRequest agentId={agent.id} />}
    </Stack>
  );
}
