import type { ActionStatus } from '#contracts/states';
import { messages } from '../lib/messages.js';
import { Chip } from './chip.js';

const TONES = { PENDING: 'warning', APPROVED: 'good', EXECUTED: 'good', DENIED: 'bad', EXPIRED: 'plain' } as const;

/** The status of an action as a tinted word. */
export function StatusChip({ status, wide }: { status: ActionStatus; wide?: boolean }) {
  return (
    <Chip tone={TONES[status]} wide={wide}>
      {messages.status[status]}
    </Chip>
  );
}

/** An HTTP status, tinted by its class. */
export function StatusCode({ status }: { status: number }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warning' : status >= 200 && status < 300 ? 'good' : 'plain';
  return <Chip tone={tone}>{status}</Chip>;
}
