import type { CallbackDelivery, ChannelDelivery } from '#contracts';
import { Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useNow } from '../lib/clock.js';
import { duration, number } from '../lib/format.js';
import { spelledOut } from '../lib/text-safety.js';
import { Chip } from './chip.js';
import type { Column } from './data-table.js';
import { deliveryMessages } from './delivery-messages.js';
import { RelativeTime } from './time.js';

type Delivery = CallbackDelivery | ChannelDelivery;

const TONES = {
  waiting: 'plain',
  pending: 'warning',
  delivered: 'good',
  failed: 'bad',
  withdrawn: 'plain',
  bundled: 'plain',
} as const;

interface Words<D extends Delivery> {
  types: Record<D['type'], string>;
  states: Record<D['state'], string>;
  /** The link to the action. */
  action: string;
  /** What the action is about, in place of `action`. */
  about?: (delivery: D) => string | null;
  /** Whether the last answer says something about the delivery as it is now. Default: always. */
  hasAnswer?: (delivery: D) => boolean;
}

/** The columns of a table of deliveries. */
export const deliveryColumns = <D extends Delivery>({
  types,
  states,
  action,
  about,
  hasAnswer,
}: Words<D>): [event: Column<D>, when: Column<D>, result: Column<D>, attempts: Column<D>] => [
  {
    key: 'event',
    label: deliveryMessages.event,
    phone: 'title',
    cell: (delivery) => (
      <Group gap="2px 10px" align="baseline">
        <b>{types[delivery.type as D['type']]}</b>
        {delivery.actionId !== null && (
          <Link to={`/approvals/${delivery.actionId}`} className="anywhere">
            {spelledOut(about?.(delivery) ?? action)}
          </Link>
        )}
      </Group>
    ),
  },
  { key: 'when', label: deliveryMessages.when, cell: ({ occurredAt }) => <RelativeTime at={occurredAt} /> },
  {
    key: 'result',
    label: deliveryMessages.result,
    cell: (delivery) => (
      <Result
        delivery={delivery}
        word={states[delivery.state as D['state']]}
        hasAnswer={hasAnswer?.(delivery) ?? true}
      />
    ),
  },
  { key: 'attempts', label: deliveryMessages.attempts, align: 'end', cell: ({ attempts }) => number(attempts) },
];

function Result({ delivery, word, hasAnswer }: { delivery: Delivery; word: string; hasAnswer: boolean }) {
  const { state, lastStatus, lastError, nextAttemptAt } = delivery;
  const next = useNow((now) => {
    if (state !== 'pending') return '';
    if (nextAttemptAt === null) return deliveryMessages.sending;
    const seconds = (Date.parse(nextAttemptAt) - now) / 1000;
    return seconds < 1 ? deliveryMessages.nextNow : deliveryMessages.next(duration(seconds));
  });
  const answer = hasAnswer ? (lastError ?? (lastStatus === null ? '' : deliveryMessages.answered(lastStatus))) : '';
  const parts = [answer, next].filter((part) => part !== '');
  return (
    <div>
      <Chip tone={TONES[state]}>{word}</Chip>
      {parts.length > 0 && (
        <Text c="dimmed" size="sm">
          {parts.join(' · ')}
        </Text>
      )}
    </div>
  );
}
