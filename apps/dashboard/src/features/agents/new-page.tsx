import type { CreateAgentResponse, Service } from '#contracts';
import { AGENT_NAME_MAX, AGENT_NAME_MIN } from '#contracts/limits';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { AgentKeyPanel } from '../../components/agent-key/agent-key-panel.js';
import { FirstRequest } from '../../components/agent-key/first-request.js';
import { FormFoot } from '../../components/form-foot.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Page } from '../../components/page.js';
import { servicesQuery } from '../../lib/queries.js';
import { KEY_PLACEHOLDER } from '../../lib/snippets.js';
import { createAgent } from './api.js';
import { messages } from './messages.js';
import { ScopePicker } from './scope-picker.js';
import { tryUrl } from './try-url.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useUnsaved } from '../../lib/unsaved.js';

const text = messages.create;

/** Creates an agent from a name and services, then shows its key once. */
export function Component() {
  const services = useQuery(servicesQuery);
  // The key exists only here, until the user confirms that it is stored.
  const [made, setMade] = useState<(Omit<CreateAgentResponse, 'apiKey'> & { apiKey: string | null }) | null>(null);
  if (made) {
    return <Made {...made} services={services.data ?? []} onStored={() => setMade({ ...made, apiKey: null })} />;
  }
  return (
    <Page title={text.title} lead={text.lead} width="text">
      <Loaded query={services}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState
              icon="services"
              title={text.noServices}
              action={
                <Button component={Link} to="/services/new">
                  {text.addService}
                </Button>
              }
            />
          ) : (
            <Card>
              <NewAgentForm services={all} onMade={setMade} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

function NewAgentForm({ services, onMade }: { services: Service[]; onMade: (made: CreateAgentResponse) => void }) {
  const [search] = useSearchParams();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  useUnsaved(name !== '');
  const [chosen, setChosen] = useState(() => {
    const wanted = services.filter(({ id }) => String(id) === search.get('service'));
    return new Set((services.length === 1 ? services : wanted).map(({ id }) => id));
  });
  const create = useMutation({
    mutationFn: () => createAgent({ name: name.trim(), serviceIds: [...chosen] }),
    onSuccess: (answer) => {
      onMade(answer);
      void queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
      void queryClient.invalidateQueries({ queryKey: queryKeys.audit.usage });
    },
    // The response contains the key, so it must not stay in the mutation cache.
    gcTime: 0,
  });
  const why =
    name.trim().length < AGENT_NAME_MIN
      ? whyMessages.name(AGENT_NAME_MIN)
      : chosen.size === 0
        ? whyMessages.services
        : null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) create.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={text.name}
          description={text.nameHint}
          placeholder={text.namePlaceholder}
          maxLength={AGENT_NAME_MAX}
          autoComplete="off"
          autoFocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ScopePicker services={services} chosen={chosen} onChange={setChosen} />
        <FormFoot label={text.submit} why={why} save={create} />
      </Stack>
    </form>
  );
}

interface MadeProps {
  agent: CreateAgentResponse['agent'];
  apiKey: string | null;
  services: readonly Service[];
  onStored: () => void;
}

function Made({ agent, apiKey, services, onStored }: MadeProps) {
  useEffect(() => {
    document.querySelector<HTMLElement>('main h1')?.focus();
  }, []);
  return (
    <Page title={text.made(agent.name)} width="text">
      <Card>
        <Stack>
          <AgentKeyPanel
            gateway={location.origin}
            agentKey={apiKey ?? KEY_PLACEHOLDER}
            targetUrl={tryUrl(agent.services, services)}
            stored={apiKey === null}
            onStored={onStored}
          />
          <FirstRequest agentId={agent.id} />
        </Stack>
      </Card>
      {apiKey === null && (
        <Group gap="sm">
          <Button component={Link} to={`/agents/${agent.id}`}>
            {text.open}
          </Button>
          <Button component={Link} to="/agents" variant="default">
            {text.list}
          </Button>
        </Group>
      )}
    </Page>
  );
}
