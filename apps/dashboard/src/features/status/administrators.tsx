import type { Administrator, MessageResponse } from '#contracts';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Chip } from '../../components/chip.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { Card, Section } from '../../components/page.js';
import { del } from '../../lib/http.js';
import { meQuery, statusQuery } from '../../lib/queries.js';
import { showDone } from '../../lib/toasts.js';
import { administratorsQuery } from './api.js';
import { installationMessages } from './installation-messages.js';
import { NameAdministrator } from './name-administrator.js';

const text = installationMessages.administrators;

/** The administrators of the installation. */
export function Administrators() {
  const query = useQuery(administratorsQuery);
  const { data: me } = useQuery(meQuery);
  const [removing, setRemoving] = useState<Administrator | null>(null);
  const columns: Column<Administrator>[] = [
    {
      key: 'person',
      label: text.person,
      phone: 'title',
      cell: ({ id, name, email }) => (
        <div>
          <b>{name}</b> {id === me?.id && <Chip>{text.you}</Chip>}
          <Text c="dimmed" size="sm">
            {email}
          </Text>
        </div>
      ),
    },
    { key: 'why', label: text.why, cell: ({ reason }) => text.reasons[reason] },
    {
      key: 'remove',
      label: text.remove,
      phone: 'bare',
      align: 'end',
      cell: (administrator) =>
        administrator.reason === 'named' && (
          <Button
            size="xs"
            variant="default"
            aria-label={text.removeIt(administrator.name)}
            onClick={() => setRemoving(administrator)}
          >
            {text.remove}
          </Button>
        ),
    },
  ];
  return (
    <Section title={text.title}>
      <Text c="dimmed" mb="md">
        {text.lead}
      </Text>
      <Loaded query={query}>
        {(administrators) => (
          <Stack>
            <Card padded={false}>
              <DataTable caption={text.title} columns={columns} rows={administrators} rowKey={({ id }) => id} />
            </Card>
            <NameAdministrator administrators={administrators} />
          </Stack>
        )}
      </Loaded>
      {removing && <Remove administrator={removing} close={() => setRemoving(null)} />}
    </Section>
  );
}

function Remove({ administrator: { id, name }, close }: { administrator: Administrator; close: () => void }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => del<MessageResponse>(`/admin/administrators/${id}`),
    onSuccess: () => {
      showDone(text.removed(name));
      close();
      const me = queryClient.getQueryData(meQuery.queryKey);
      if (me?.id !== id) return queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey });
      // This person may no longer see this page.
      queryClient.setQueryData(meQuery.queryKey, { ...me, administersInstallation: false });
      return queryClient.setQueryData(statusQuery.queryKey, null);
    },
  });
  return (
    <ConfirmDialog title={text.removeTitle(name)} label={text.remove} danger change={remove} close={close}>
      <Text>{text.removeWhat}</Text>
    </ConfirmDialog>
  );
}
