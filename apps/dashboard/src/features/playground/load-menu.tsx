import type { AuditRecord, Service } from '#contracts';
import { Button, Menu, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RequestSummary } from '../../components/request/request-summary.js';
import { RelativeTime } from '../../components/time.js';
import { showFailure } from '../../lib/toasts.js';
import { latestQuery, toTrial } from './api.js';
import { messages } from './messages.js';
import type { Trial } from './trial.js';

/** A menu of the latest real requests. */
export function LoadMenu({ services, load }: { services: readonly Service[]; load: (trial: Trial) => void }) {
  const [opened, setOpened] = useState(false);
  const { data } = useQuery({ ...latestQuery, enabled: opened });
  const take = useMutation({
    mutationFn: (record: AuditRecord) => toTrial(record, services),
    onSuccess: (trial) => trial && load(trial),
    onError: showFailure,
  });
  const records = data?.items.filter(({ url, service }) => url && services.some(({ id }) => id === service?.id));
  return (
    <Menu
      position="bottom-end"
      width="min(460px, 92vw)"
      styles={{ itemLabel: { minWidth: 0 } }}
      opened={opened}
      onChange={setOpened}
    >
      <Menu.Target>
        <Button variant="default" size="xs" loading={take.isPending}>
          {messages.load}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {records?.length === 0 && <Menu.Label>{messages.loadEmpty}</Menu.Label>}
        {records?.map((record) => (
          <Menu.Item key={record.id} onClick={() => take.mutate(record)}>
            <Text span display="block" truncate>
              <RequestSummary method={record.method ?? ''} targetUrl={record.url ?? ''} />
            </Text>
            <Text span c="dimmed" size="sm">
              {record.agent?.name} · <RelativeTime at={record.at} />
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
