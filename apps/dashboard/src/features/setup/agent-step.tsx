import { findTestPath } from '#catalogue';
import type { Agent, CreateAgentRequest, CreateAgentResponse, Service } from '#contracts';
import { AGENT_NAME_MAX, AGENT_NAME_MIN } from '#contracts/limits';
import { Checkbox, Fieldset, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AgentKeyPanel } from '../../components/agent-key/agent-key-panel.js';
import { FirstRequest } from '../../components/agent-key/first-request.js';
import { post } from '../../lib/http.js';
import { KEY_PLACEHOLDER } from '../../lib/snippets.js';
import { showFailure } from '../../lib/toasts.js';
import { messages } from './messages.js';
import { SubmitButton } from '../../components/submit-button.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useUnsaved } from '../../lib/unsaved.js';

interface Props {
  services: readonly Service[];
  existing: Agent | null;
  testPath: string | null;
}

/** Creates the first agent, shows its key once with a snippet, and waits for the first request. */
export function AgentStep({ services, existing, testPath }: Props) {
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<{ id: number; key: string | null; targetUrl: string } | null>(null);
  const [name, setName] = useState('');
  useUnsaved(name !== '' && created === null && existing === null);
  const [chosen, setChosen] = useState<ReadonlySet<number> | null>(null);
  const scope = chosen ?? new Set(services.slice(0, 1).map(({ id }) => id));
  const create = useMutation({
    mutationFn: () =>
      post<CreateAgentResponse>('/agents', { name: name.trim(), serviceIds: [...scope] } satisfies CreateAgentRequest),
    onSuccess: ({ agent, apiKey }) => {
      setCreated({
        id: agent.id,
        key: apiKey,
        targetUrl: tryUrl(
          services.find(({ id }) => scope.has(id))!,
          testPath,
        ),
      });
      void queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
    onError: showFailure,
  });

  if (created) {
    return (
      <Stack gap="lg">
        <AgentKeyPanel
          gateway={location.origin}
          agentKey={created.key ?? KEY_PLACEHOLDER}
          targetUrl={created.targetUrl}
          stored={created.key === null}
          onStored={() => setCreated({ ...created, key: null })}
        />
        <FirstRequest agentId={created.id} />
      </Stack>
    );
  }
  if (existing) {
    return (
      <Stack gap="lg">
        <div>{messages.agent.exists(existing.name)}</div>
        <FirstRequest agentId={existing.id} />
      </Stack>
    );
  }
  const length = name.trim().length;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack gap="lg">
        <TextInput
          label={messages.agent.name}
          placeholder={messages.agent.placeholder}
          minLength={AGENT_NAME_MIN}
          maxLength={AGENT_NAME_MAX}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Fieldset legend={messages.agent.services}>
          <Stack>
            {services.map((service) => (
              <Checkbox
                key={service.id}
                label={service.name}
                checked={scope.has(service.id)}
                onChange={() => {
                  const next = new Set(scope);
                  if (!next.delete(service.id)) next.add(service.id);
                  setChosen(next);
                }}
              />
            ))}
          </Stack>
        </Fieldset>
        <Group>
          <SubmitButton
            loading={create.isPending}
            why={
              length < AGENT_NAME_MIN
                ? whyMessages.name(AGENT_NAME_MIN)
                : scope.size === 0
                  ? whyMessages.services
                  : null
            }
          >
            {messages.agent.submit}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

/** A harmless URL of the service: its test path if the catalogue knows it, otherwise the base URL. */
function tryUrl(service: Service, testPath: string | null): string {
  const base = service.baseUrl.replace(/\/$/, '');
  return base + (findTestPath(base) ?? testPath ?? '');
}
