import type { Service } from '#contracts';
import { Button, Group, Modal, Stack, Text, type ButtonProps } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormError } from '../../components/form-foot.js';
import { sharedMessages } from '../../lib/messages.js';
import { serviceUsageQuery } from '../../lib/queries.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { revertCredentials } from './api.js';
import { messages } from './messages.js';

const text = messages.rotation.revert;

/** Puts the previous credentials of a service back, after a confirmation. For administrators. */
export function RevertButton({ service, ...button }: ButtonProps & { service: Service }) {
  const [asking, setAsking] = useState(false);
  if (!useMay('admin')) return null;
  return (
    <>
      <Button {...button} onClick={() => setAsking(true)}>
        {text.button}
      </Button>
      {asking && <RevertDialog service={service} close={() => setAsking(false)} />}
    </>
  );
}

function RevertDialog({ service, close }: { service: Service; close: () => void }) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const revert = useMutation({
    mutationFn: () => revertCredentials(service.id),
    onSuccess: () => {
      showDone(text.done);
      close();
      void queryClient.invalidateQueries({ queryKey: serviceUsageQuery.queryKey });
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
  return (
    <Modal opened onClose={close} title={text.title(service.name)}>
      <Stack>
        <Text>{text.text}</Text>
        <FormError error={revert.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {sharedMessages.actions.cancel}
          </Button>
          <Button loading={revert.isPending} onClick={() => revert.mutate()}>
            {text.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
