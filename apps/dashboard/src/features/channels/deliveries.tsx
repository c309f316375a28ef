import type { Channel, ChannelDelivery } from '#contracts';
import { Drawer, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../components/data-table.js';
import { deliveryColumns } from '../../components/delivery-columns.js';
import { LoadedPages } from '../../components/loaded-pages.js';
import { EmptyState } from '../../components/notices.js';
import { elapsed } from '../../lib/format.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { deliveriesQuery } from './api.js';
import { messages } from './messages.js';

const text = messages.deliveries;

/** Sent and queued notifications, newest first. Live events refresh the list (app/live-queries.ts). */
export default function Deliveries({ channel, close }: { channel: Channel; close: () => void }) {
  useReturnFocus();
  const query = useInfiniteQuery(deliveriesQuery(channel.id));
  return (
    <Drawer opened onClose={close} position="right" size="xl" title={text.title(channel.name)}>
      <LoadedPages query={query} empty={<EmptyState icon="status" title={text.none} text={text.noneText} />}>
        {(rows) => (
          <>
            <Text c="dimmed" size="sm">
              {text.lead}
            </Text>
            <DataTable caption={text.title(channel.name)} columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
          </>
        )}
      </LoadedPages>
    </Drawer>
  );
}

const [event, when, result, attempts] = deliveryColumns<ChannelDelivery>({
  types: messages.eventNames,
  states: text.states,
  action: text.action,
  about: ({ summary }) => summary,
  hasAnswer: (delivery) => delivery.attempts > 0,
});
const COLUMNS: Column<ChannelDelivery>[] = [
  event,
  { ...when, whole: true },
  result,
  {
    key: 'took',
    label: text.took,
    align: 'end',
    whole: true,
    cell: ({ tookMs }) => (tookMs === null ? '–' : elapsed(tookMs)),
  },
  attempts,
];
