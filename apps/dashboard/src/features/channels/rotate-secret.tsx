import type { Channel } from '#contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { queryKeys } from '../../lib/query-keys.js';
import { rotateSecret } from './api.js';
import { messages } from './messages.js';

const text = messages.secret;

interface Props {
  channel: Channel;
  close: () => void;
  onSecret: (secret: string, done: string) => void;
}

export function RotateSecret({ channel: { id, name, previousSecretExpiresAt }, close, onSecret }: Props) {
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => rotateSecret(id),
    onSuccess: ({ secret }) => {
      close();
      onSecret(secret, text.rotated);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.channels.all }),
    // The response contains the secret, so it must not stay in the mutation cache.
    gcTime: 0,
  });
  return (
    <ConfirmDialog title={text.rotateTitle(name)} label={text.rotateSubmit} change={rotate} close={close}>
      <Text>
        {text.rotateText} {previousSecretExpiresAt !== null && text.rotateAgain}
      </Text>
    </ConfirmDialog>
  );
}
