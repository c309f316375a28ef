import type { Agent, CallbackDelivery } from '#contracts';
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { DataTable, type Column } from '../../components/data-table.js';
import { deliveryColumns } from '../../components/delivery-columns.js';
import { LoadedPages } from '../../components/loaded-pages.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { dateTime } from '../../lib/format.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { deliveriesQuery, redeliver, sendTest } from './api.js';
import { messages } from './messages.js';

const text = messages.callback;

/**
 * Sent and queued deliveries, newest first, and for administrators the buttons that send. `whyNot` says why nothing can
 * be sent now, or is null. Live events refresh the list (app/live-queries.ts).
 */
export function Deliveries({ agent, whyNot }: { agent: Agent; whyNot: string | null }) {
  const may = useMay('admin');
  const whyNotId = useId();
  const describedBy = whyNot === null ? undefined : whyNotId;
  const query = useInfiniteQuery(deliveriesQuery(agent.id));
  const queryClient = useQueryClient();
  const settled = () => queryClient.invalidateQueries({ queryKey: queryKeys.callbacks.of(agent.id) });
  const test = useMutation({
    mutationFn: () => sendTest(agent.id),
    onSuccess: () => showDone(text.testing),
    onError: showFailure,
    onSettled: settled,
  });
  const again = useMutation({
    mutationFn: (id: string) => redeliver(agent.id, id),
    onSuccess: () => showDone(text.redelivering),
    onError: showFailure,
    onSettled: settled,
  });
  const redeliverer: Column<CallbackDelivery> = {
    key: 'again',
    label: text.again,
    phone: 'bare',
    align: 'end',
    cell: (delivery) => (
      <Button
        size="xs"
        variant="default"
        aria-label={text.redeliver(text.types[delivery.type], dateTime(delivery.occurredAt))}
        disabled={whyNot !== null}
        aria-describedby={describedBy}
        loading={again.isPending && again.variables === delivery.id}
        onClick={() => again.mutate(delivery.id)}
      >
        {text.again}
      </Button>
    ),
  };
  return (
    <Section
      title={text.deliveries}
      actions={
        may && (
          <Button
            size="xs"
            variant="default"
            disabled={whyNot !== null}
            aria-describedby={describedBy}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            {text.test}
          </Button>
        )
      }
    >
      {whyNot !== null && (
        <Text id={whyNotId} c="dimmed" size="sm" mb="md">
          {whyNot}
        </Text>
      )}
      <LoadedPages
        query={query}
        empty={<EmptyState icon="status" title={text.none} text={may && whyNot === null && text.noneText} />}
      >
        {(rows) => (
          <>
            <Text c="dimmed" size="sm">
              {text.deliveriesLead}
            </Text>
            <Card padded={false}>
              <DataTable
                caption={text.deliveries}
                columns={may ? [...COLUMNS, redeliverer] : COLUMNS}
                rows={rows}
                rowKey={({ id }) => id}
              />
            </Card>
          </>
        )}
      </LoadedPages>
    </Section>
  );
}

const COLUMNS = deliveryColumns<CallbackDelivery>(text);
