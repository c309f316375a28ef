import type { Channel, ChannelDelivery } from '#contracts';
import { Drawer, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { LoadedPages } from '../../components/loaded-pages.js';
import { EmptyState } from '../../components/notices.js';
import { RelativeTime } from '../../components/time.js';
import { useNow } from '../../lib/clock.js';
import { duration, elapsed, number } from '../../lib/format.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { deliveriesQuery } from './api.js';
import { messages } from './messages.js';

const text = messages.deliveries;
const TONES = {
  waiting: 'plain',
  pending: 'warning',
  delivered: 'good',
  failed: 'bad',
  withdrawn: 'plain',
  bundled: 'plain',
} as const;

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
            <DataTable caption={text.title(channel.name)} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
          </>
        )}
      </LoadedPages>
    </Drawer>
  );
}

const COLUMNS: Column<ChannelDelivery>[] = [
  {
    key: 'event',
    label: text.event,
    phone: 'title',
    cell: ({ type, actionId }) => (
      <Group gap="2px 10px" align="baseline">
        <b>{messages.eventNames[type]}</b>
        {actionId !== null && <Link to={`/approvals/${actionId}`}>{text.action}</Link>}
      </Group>
    ),
  },
  { key: 'when', label: text.when, whole: true, cell: ({ occurredAt }) => <RelativeTime at={occurredAt} /> },
  { key: 'result', label: text.result, cell: (delivery) => <Result delivery={delivery} /> },
  {
    key: 'took',
    label: text.took,
    align: 'end',
    whole: true,
    cell: ({ tookMs }) => (tookMs === null ? '–' : elapsed(tookMs)),
  },
  { key: 'attempts', label: text.attempts, align: 'end', cell: ({ attempts }) => number(attempts) },
];

function Result({
  delivery: { state, lastStatus, lastError, nextAttemptAt, attempts },
}: {
  delivery: ChannelDelivery;
}) {
  const next = useNow((now) => {
    if (state !== 'pending') return '';
    if (nextAttemptAt === null) return text.sending;
    const seconds = (Date.parse(nextAttemptAt) - now) / 1000;
    return seconds < 1 ? text.nextNow : text.next(duration(seconds));
  });
  const answer = attempts === 0 ? '' : (lastError ?? (lastStatus === null ? '' : text.answered(lastStatus)));
  const parts = [answer, next].filter((part) => part !== '');
  return (
    <div>
      <Chip tone={TONES[state]}>{text.states[state]}</Chip>
      {parts.length > 0 && (
        <Text c="dimmed" size="sm">
          {parts.join(' · ')}
        </Text>
      )}
    </div>
  );
}
