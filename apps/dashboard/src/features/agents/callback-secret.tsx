import type { Agent, Callback } from '#contracts';
import { Button, Divider, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useNow } from '../../lib/clock.js';
import { duration } from '../../lib/format.js';
import { sharedMessages } from '../../lib/messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { removeCallback, rotateSecret } from './api.js';
import { messages } from './messages.js';

const text = messages.callback;

interface Props {
  agent: Agent;
  callback: Callback;
  /** Called with the new secret. */
  onSecret: (secret: string) => void;
}

/** Rotates the signing secret, or removes the callback. */
export function CallbackSecret({ agent, callback, onSecret }: Props) {
  const [asking, setAsking] = useState<'rotate' | 'remove' | null>(null);
  const close = () => setAsking(null);
  const expiry = callback.previousSecretExpiresAt;
  const rotating = useNow((now) => {
    const seconds = expiry === null ? 0 : (Date.parse(expiry) - now) / 1000;
    return seconds > 0 ? text.rotating(duration(seconds)) : '';
  });
  return (
    <Stack>
      <Title order={2} size="h3">
        {text.secret}
      </Title>
      <Text c="dimmed" size="sm">
        {text.secretText}
      </Text>
      {rotating !== '' && (
        <Text c="dimmed" size="sm">
          {rotating}
        </Text>
      )}
      <Button variant="default" w="fit-content" onClick={() => setAsking('rotate')}>
        {text.rotate}
      </Button>
      <Divider my={4} />
      <Button variant="default" w="fit-content" c="var(--agw-critical)" onClick={() => setAsking('remove')}>
        {text.remove}
      </Button>
      {asking === 'rotate' && <RotateDialog agent={agent} again={rotating !== ''} close={close} onSecret={onSecret} />}
      {asking === 'remove' && <RemoveDialog agent={agent} close={close} />}
    </Stack>
  );
}

interface RotateProps {
  agent: Agent;
  /** A rotation is in progress: the previous secret is still valid. */
  again: boolean;
  close: () => void;
  onSecret: (secret: string) => void;
}

function RotateDialog({ agent, again, close, onSecret }: RotateProps) {
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => rotateSecret(agent.id),
    onSuccess: ({ secret }) => {
      close();
      onSecret(secret);
      return queryClient.invalidateQueries({ queryKey: queryKeys.callbacks.of(agent.id) });
    },
    onError: showFailure,
    // The response contains the secret, so it must not stay in the mutation cache.
    gcTime: 0,
  });
  return (
    <Dialog title={text.rotateDialog} close={close}>
      <div>
        {text.rotateText} {again && text.rotateAgain}
      </div>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close}>
          {sharedMessages.actions.cancel}
        </Button>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()} data-autofocus>
          {text.rotateConfirm}
        </Button>
      </Group>
    </Dialog>
  );
}

function RemoveDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeCallback(agent.id),
    onSuccess: () => {
      close();
      showDone(text.removed);
      return queryClient.invalidateQueries({ queryKey: queryKeys.callbacks.of(agent.id) });
    },
    onError: showFailure,
  });
  return (
    <Dialog title={text.removeDialog(agent.name)} close={close}>
      <div>{text.removeText}</div>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close} data-autofocus>
          {sharedMessages.actions.cancel}
        </Button>
        <Button color="danger" loading={remove.isPending} onClick={() => remove.mutate()}>
          {text.remove}
        </Button>
      </Group>
    </Dialog>
  );
}

function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  useReturnFocus();
  return (
    <Modal opened onClose={close} title={title}>
      <Stack>{children}</Stack>
    </Modal>
  );
}
