import type { Agent } from '#contracts';
import { Button, Divider, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AgentKeyPanel } from '../../components/agent-key/agent-key-panel.js';
import { Card } from '../../components/page.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { messages as shared } from '../../lib/messages.js';
import { servicesQuery } from '../../lib/queries.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { rotateKey } from './api.js';
import { messages } from './messages.js';
import { tryUrl } from './try-url.js';
import { useSetActive } from './use-set-active.js';

const text = messages.key;

/** Rotates the key, and revokes or restores the agent. */
export function KeyCard({ agent }: { agent: Agent }) {
  const [rotating, setRotating] = useState(false);
  const setActive = useSetActive(agent);
  return (
    <Card>
      <Stack>
        <Title order={2} size="h3">
          {text.title}
        </Title>
        <Text c="dimmed" size="sm">
          {text.rotateText}
        </Text>
        <Button variant="default" w="fit-content" onClick={() => setRotating(true)}>
          {text.rotate}
        </Button>
        <Divider my={4} />
        <Text c="dimmed" size="sm">
          {agent.isActive ? text.revokeText : text.restoreText}
        </Text>
        <Button
          variant={agent.isActive ? 'default' : 'filled'}
          w="fit-content"
          loading={setActive.isPending}
          onClick={() => setActive.mutate(!agent.isActive)}
        >
          {agent.isActive ? text.revoke : text.restore}
        </Button>
      </Stack>
      {rotating && <RotateDialog agent={agent} close={() => setRotating(false)} />}
    </Card>
  );
}

/** Says when the current key was last used, replaces it, and shows the new key until it is stored. */
function RotateDialog({ agent, close }: { agent: Agent; close: () => void }) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const { data: services = [] } = useQuery(servicesQuery);
  const [apiKey, setApiKey] = useState<string | null>(null);
  const rotate = useMutation({
    mutationFn: () => rotateKey(agent.id),
    onSuccess: (answer) => {
      setApiKey(answer.apiKey);
      void queryClient.invalidateQueries({ queryKey: ['agents'] });
    },
    onError: showFailure,
    // The response contains the key, so it must not stay in the mutation cache.
    gcTime: 0,
  });
  const used = useNow((now) => (agent.lastUsedAt ? text.lastUsed(ago(agent.lastUsedAt, now)) : text.neverUsed));
  if (apiKey !== null) {
    return (
      <Modal
        opened
        size="xl"
        title={text.fresh(agent.name)}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        onClose={() => {}}
      >
        <AgentKeyPanel
          gateway={location.origin}
          agentKey={apiKey}
          targetUrl={tryUrl(agent.services, services)}
          stored={false}
          onStored={() => {
            setApiKey(null);
            showDone(text.done);
            close();
          }}
        />
      </Modal>
    );
  }
  return (
    <Modal opened onClose={close} title={text.dialog(agent.name)}>
      <Stack>
        <div>
          {text.rotateText} {used}
        </div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {shared.actions.cancel}
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()} data-autofocus>
            {text.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
