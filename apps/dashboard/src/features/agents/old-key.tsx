import type { Agent } from '#contracts';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormError } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { useNow } from '../../lib/clock.js';
import { ago, duration } from '../../lib/format.js';
import { sharedMessages } from '../../lib/messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { endPreviousKeys } from './api.js';
import { messages } from './messages.js';

const text = messages.key.old;

/**
 * The rotated key that still works: until when, whether a program uses it, and for administrators a button that ends
 * it.
 */
export function OldKey({ agent }: { agent: Agent }) {
  const { previousKey } = agent;
  const may = useMay('admin');
  const [ending, setEnding] = useState(false);
  const left = useNow((now) => (previousKey ? duration((Date.parse(previousKey.expiresAt) - now) / 1000) : ''));
  const isOver = useNow((now) => previousKey === null || Date.parse(previousKey.expiresAt) <= now);
  const used = useNow((now) =>
    previousKey?.lastUsedAt ? text.lastUsed(ago(previousKey.lastUsedAt, now)) : text.neverUsed,
  );
  if (previousKey === null || isOver) return null;
  return (
    <>
      <Callout tone="info">
        <Stack gap="sm" align="flex-start">
          <span>
            {text.works(previousKey.keyPrefix, left)} {used}
          </span>
          {may && (
            <Button size="xs" variant="default" onClick={() => setEnding(true)}>
              {text.end}
            </Button>
          )}
        </Stack>
      </Callout>
      {ending && <EndDialog agent={agent} close={() => setEnding(false)} />}
    </>
  );
}

function EndDialog({ agent, close }: { agent: Agent; close: () => void }) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => endPreviousKeys(agent.id),
    onSuccess: () => {
      showDone(text.ended);
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
  });
  return (
    <Modal opened onClose={close} title={text.dialog(agent.name)}>
      <Stack>
        <Text>{text.endText}</Text>
        <FormError error={end.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {sharedMessages.actions.cancel}
          </Button>
          <Button loading={end.isPending} onClick={() => end.mutate()}>
            {text.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
