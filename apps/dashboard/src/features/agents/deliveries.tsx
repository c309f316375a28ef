import type { Agent, CallbackDelivery } from '#contracts';
import { Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { LoadedPages } from '../../components/loaded-pages.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { RelativeTime } from '../../components/time.js';
import { useNow } from '../../lib/clock.js';
import { dateTime, duration, number } from '../../lib/format.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { deliveriesQuery, redeliver, sendTest } from './api.js';
import { messages } from './messages.js';

const text = messages.callback;
const TONES = { pending: 'warning', delivered: 'good', failed: 'bad' } as const;

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
  const settled = () => queryClient.invalidateQueries({ queryKey: ['callbacks', agent.id] });
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
                keyOf={({ id }) => id}
              />
            </Card>
          </>
        )}
      </LoadedPages>
    </Section>
  );
}

const COLUMNS: Column<CallbackDelivery>[] = [
  {
    key: 'event',
    label: text.event,
    phone: 'title',
    cell: ({ type, actionId }) => (
      <Group gap="2px 10px" align="baseline">
        <b>{text.types[type]}</b>
        {actionId !== null && <Link to={`/approvals/${actionId}`}>{text.action}</Link>}
      </Group>
    ),
  },
  { key: 'occurred', label: text.occurred, cell: ({ occurredAt }) => <RelativeTime at={occurredAt} /> },
  { key: 'result', label: text.result, cell: (delivery) => <Result delivery={delivery} /> },
  { key: 'attempts', label: text.attempts, align: 'end', cell: ({ attempts }) => number(attempts) },
];

function Result({ delivery: { state, lastStatus, lastError, nextAttemptAt } }: { delivery: CallbackDelivery }) {
  const next = useNow((now) => {
    if (state !== 'pending') return '';
    if (nextAttemptAt === null) return text.sending;
    const seconds = (Date.parse(nextAttemptAt) - now) / 1000;
    return seconds < 1 ? text.nextNow : text.next(duration(seconds));
  });
  const answer = lastError ?? (lastStatus === null ? '' : text.answered(lastStatus));
  return (
    <div>
      <Chip tone={TONES[state]}>{text.states[state]}</Chip>
      {(answer !== '' || next !== '') && (
        <Text c="dimmed" size="sm">
          {[answer, next].filter((part) => part !== '').join(' · ')}
        </Text>
      )}
    </div>
  );
}
