import type { Channel } from '#contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { showDone } from '../../lib/toasts.js';
import { deleteChannel } from './api.js';
import { messages } from './messages.js';

const text = messages.remove;

/** Asks before it deletes. */
export function RemoveChannel({ channel: { id, name }, close }: { channel: Channel; close: () => void }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteChannel(id),
    onSuccess: () => {
      close();
      showDone(text.done(name));
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['channels'] }),
  });
  return (
    <ConfirmDialog title={text.title(name)} label={text.submit} danger change={remove} close={close}>
      <Text>{text.text}</Text>
    </ConfirmDialog>
  );
}
