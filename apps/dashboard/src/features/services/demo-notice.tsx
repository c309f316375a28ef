import type { Service } from '#contracts';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Callout } from '../../components/notices.js';
import { isDemo, removeDemoData } from '../../lib/demo-data.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { messages } from './messages.js';

/** Says which service is sample data, and removes it with everything that belongs to it. */
export function DemoNotice({ services }: { services: readonly Service[] }) {
  const queryClient = useQueryClient();
  const demo = services.find(isDemo);
  const mayRemove = useMay('admin');
  const remove = useMutation({
    mutationFn: removeDemoData,
    onSuccess: () => showDone(messages.demo.removed),
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries(),
  });
  if (!demo || !mayRemove) return null;
  return (
    <Callout tone="info">
      {messages.demo.text(demo.name)}{' '}
      <Button variant="default" size="xs" loading={remove.isPending} onClick={() => remove.mutate(demo)}>
        {messages.demo.remove}
      </Button>
    </Callout>
  );
}
