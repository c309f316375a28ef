import type { ChannelTestResult } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { post } from '../../lib/http.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { pushMessages } from './messages.js';

/** Stands in the message that notifications are on. Shows immediately whether a test notification arrives. */
export function TestButton({ channelId }: { channelId: number }) {
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: () => post<ChannelTestResult>(`/channels/${channelId}/test`),
    onSuccess: ({ message, delivery }) => {
      if (delivery.state === 'delivered') showDone(message);
      else showFailure(new Error(message));
    },
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.channels.all }),
  });
  return (
    <div>
      <Button size="xs" variant="default" mt="xs" loading={test.isPending} onClick={() => test.mutate()}>
        {pushMessages.test}
      </Button>
    </div>
  );
}
