import type { Agent } from '#contracts';
import { Button, Group, Input, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AgentKeyPanel } from '../../components/agent-key/agent-key-panel.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { sharedMessages } from '../../lib/messages.js';
import { servicesQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { rotateKey } from './api.js';
import { messages } from './messages.js';
import { tryUrl } from './try-url.js';

const text = messages.key;

/** Says when the current key was last used, replaces it, and shows the new key until it is stored. */
export function RotateKeyDialog({ agent, close }: { agent: Agent; close: () => void }) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const { data: services = [] } = useQuery(servicesQuery);
  const [graceMinutes, setGraceMinutes] = useState(0);
  const [apiKey, setApiKey] = useState<string | null>(null);
  const rotate = useMutation({
    mutationFn: () => rotateKey(agent.id, graceMinutes),
    onSuccess: (answer) => {
      setApiKey(answer.apiKey);
      void queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
    onError: showFailure,
    // The response contains the key, so it must not stay in the mutation cache.
    gcTime: 0,
  });
  const used = useNow((now) => (agent.lastUsedAt ? text.lastUsed(ago(agent.lastUsedAt, now)) : text.neverUsed));
  if (apiKey !== null) {
    return (
      <Modal
        key="fresh"
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
        <Text>{used}</Text>
        <Input.Wrapper label={text.grace.label} labelElement="div" description={text.grace.hint}>
          <div>
            <SegmentedControl
              aria-label={text.grace.label}
              value={String(graceMinutes)}
              data={Object.entries(text.grace.minutes).map(([value, label]) => ({ value, label }))}
              onChange={(value) => setGraceMinutes(Number(value))}
            />
          </div>
        </Input.Wrapper>
        {graceMinutes === 0 && agent.previousKey && <Text>{text.grace.endsAll}</Text>}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {sharedMessages.actions.cancel}
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()} data-autofocus>
            {text.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
