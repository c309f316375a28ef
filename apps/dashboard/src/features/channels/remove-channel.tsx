import type { Channel } from '#contracts';
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { forgetChannel } from '../../components/push/device.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { deleteChannel } from './api.js';
import { messages } from './messages.js';

const text = messages.remove;

/** Asks before it deletes. */
export function RemoveChannel({ channel: { id, name }, close }: { channel: Channel; close: () => void }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => {
      await deleteChannel(id);
      await forgetChannel(id);
    },
    onSuccess: () => {
      close();
      showDone(text.done(name));
    },
    onSettled: () =>
      Promise.all(
        [queryKeys.channels.all, queryKeys.device.all].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
  return (
    <ConfirmDialog title={text.title(name)} label={text.submit} danger change={remove} close={close}>
      <Text>{text.text}</Text>
    </ConfirmDialog>
  );
}
