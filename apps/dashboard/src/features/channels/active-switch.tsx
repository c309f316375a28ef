import type { Channel } from '#contracts';
import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../lib/query-keys.js';
import { showFailure } from '../../lib/toasts.js';
import { updateChannel } from './api.js';
import { messages } from './messages.js';

/** Switches a channel off and on. */
export function ActiveSwitch({ channel: { id, name, isActive } }: { channel: Channel }) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (wanted: boolean) => updateChannel(id, { isActive: wanted }),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.channels.all }),
  });
  return (
    <Switch
      aria-label={messages.card.active(name)}
      checked={save.isPending ? save.variables : isActive}
      disabled={save.isPending}
      onChange={(event) => save.mutate(event.currentTarget.checked)}
    />
  );
}
