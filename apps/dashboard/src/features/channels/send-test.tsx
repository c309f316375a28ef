import type { Channel } from '#contracts';
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { FormError } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { queryKeys } from '../../lib/query-keys.js';
import { testChannel } from './api.js';
import { messages } from './messages.js';

const text = messages.card;

/** Sends a test immediately, and shows the result. `children`: the buttons beside it. */
export function SendTest({ channel, children }: { channel: Channel; children: ReactNode }) {
  const whyId = useId();
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: () => testChannel(channel.id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.channels.all }),
  });
  const { data } = test;
  return (
    <>
      <div role="status">
        {data && <Callout tone={data.delivery.state === 'delivered' ? 'success' : 'danger'}>{data.message}</Callout>}
      </div>
      <FormError error={test.error} />
      <Group gap="sm">
        <Button
          size="xs"
          px={10}
          variant="default"
          aria-label={text.testIt(channel.name)}
          aria-describedby={channel.isActive ? undefined : whyId}
          disabled={!channel.isActive}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {text.test}
        </Button>
        {children}
      </Group>
      {!channel.isActive && (
        <Text id={whyId} size="sm" c="dimmed">
          {text.testOff}
        </Text>
      )}
    </>
  );
}
