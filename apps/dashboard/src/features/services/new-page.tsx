import type { Service } from '#contracts';
import { Button, Group, Stack, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Icon } from '../../components/icon.js';
import { Card, Page } from '../../components/page.js';
import { ConnectApi } from '../../components/service-form/connect-api.js';
import { useConnect } from '../../components/service-form/use-connect.js';
import { agentsQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { ConnectionDetails } from './connection-details.js';
import { needsPerson } from '../../lib/connection-state.js';
import { ConnectionTest } from './connection-test.js';
import { GrantAgents } from './grant-agents.js';
import { messages } from './messages.js';

/** Creates a service, tests it, then offers to give an agent access. */
export function Component() {
  const queryClient = useQueryClient();
  const [, setSearch] = useSearchParams();
  const [made, setMade] = useState<{ service: Service; testPath: string } | null>(null);
  const connect = useConnect(({ service, problems }, { testPath }) => {
    for (const problem of problems) showFailure(new Error(messages.create.problem(problem)));
    showDone(messages.create.done(service.name));
    setMade({ service, testPath: testPath ?? '' });
    void queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
  });
  const another = () => {
    setMade(null);
    connect.forget();
    setSearch({});
  };
  if (made) return <Made {...made} another={another} />;
  return (
    <Page title={messages.create.title} lead={messages.create.lead} width="text">
      <Card>
        <ConnectApi submitLabel={messages.create.submit} connect={connect} />
      </Card>
    </Page>
  );
}

function Made({ service, testPath, another }: { service: Service; testPath: string; another: () => void }) {
  const { data } = useQuery(agentsQuery);
  const agents = data?.filter(({ isActive }) => isActive);
  useEffect(() => {
    document.querySelector('main')?.scrollTo({ top: 0 });
    document.querySelector<HTMLElement>('main h1')?.focus();
  }, []);
  return (
    <Page title={messages.create.done(service.name)} width="text">
      <Card>
        {needsPerson(service) ? (
          <ConnectionDetails service={service} />
        ) : (
          <ConnectionTest service={service} initialPath={testPath} runAtOnce />
        )}
      </Card>
      <Card>
        <Stack>
          <Title order={2}>{messages.create.grant}</Title>
          {agents && agents.length > 0 ? (
            <GrantAgents service={service} agents={agents} />
          ) : (
            <div>{messages.create.noAgents}</div>
          )}
          <Group gap="sm">
            <Button
              component={Link}
              to={`/agents/new?service=${service.id}`}
              variant={agents?.length ? 'default' : 'filled'}
              leftSection={<Icon name="plus" size={16} />}
            >
              {messages.create.newAgent}
            </Button>
            <Button component={Link} to={`/services/${service.id}`} variant="default">
              {messages.create.open}
            </Button>
            <Button variant="subtle" onClick={another}>
              {messages.create.another}
            </Button>
          </Group>
        </Stack>
      </Card>
    </Page>
  );
}
