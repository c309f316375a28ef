import type { Service } from '#contracts';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { FormError } from '../../components/form-foot.js';
import { Callout } from '../../components/notices.js';
import { sharedMessages } from '../../lib/messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { confirmCredentials } from './api.js';
import { messages } from './messages.js';

const text = messages.moved;

/** Says that the service has moved, so nothing is sent with its credentials, and lets an administrator confirm. */
export function UnconfirmedHosts({ service }: { service: Service }) {
  const [asking, setAsking] = useState(false);
  const may = useMay('admin');
  const { unconfirmedHosts: hosts } = service;
  if (hosts.length === 0) return null;
  return (
    <div role="status">
      <Callout tone="danger">
        <Stack gap="sm">
          <span>
            {text.text} <Hosts hosts={hosts} />
          </span>
          {may ? (
            <Group gap="sm">
              <Button size="xs" onClick={() => setAsking(true)}>
                {text.button}
              </Button>
              <Link to={`/services/${service.id}/credentials`}>{text.replace}</Link>
            </Group>
          ) : (
            <span>{text.ask}</span>
          )}
        </Stack>
      </Callout>
      {asking && <ConfirmDialog service={service} close={() => setAsking(false)} />}
    </div>
  );
}

const Hosts = ({ hosts }: { hosts: readonly string[] }) => (
  <b className="mono" translate="no">
    {hosts.join(', ')}
  </b>
);

function ConfirmDialog({ service, close }: { service: Service; close: () => void }) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => confirmCredentials(service.id, service.unconfirmedHosts),
    onSuccess: () => {
      showDone(text.done);
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
  return (
    <Modal opened onClose={close} title={text.title(service.name)}>
      <Stack>
        <Text>
          {text.question} <Hosts hosts={service.unconfirmedHosts} />
        </Text>
        <Text c="dimmed">{text.hint}</Text>
        <FormError error={confirm.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {sharedMessages.actions.cancel}
          </Button>
          <Button loading={confirm.isPending} onClick={() => confirm.mutate()}>
            {text.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
