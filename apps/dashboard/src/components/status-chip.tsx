import type { ActionStatus } from '#contracts/states';
import { sharedMessages } from '../lib/messages.js';
import { Chip } from './chip.js';

const TONES = { PENDING: 'warning', APPROVED: 'good', EXECUTED: 'good', DENIED: 'bad', EXPIRED: 'plain' } as const;

interface Props {
  status: ActionStatus;
  /** A person changed the request: the action is denied, and another one takes its place. */
  isRevised?: boolean;
  wide?: boolean;
}

/** The status of an action as a tinted word. */
export function StatusChip({ status, isRevised = false, wide }: Props) {
  return (
    <Chip tone={isRevised ? 'plain' : TONES[status]} wide={wide}>
      {isRevised ? sharedMessages.revised : sharedMessages.status[status]}
    </Chip>
  );
}

/** An HTTP status, tinted by its class. */
export function StatusCode({ status }: { status: number }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warning' : status >= 200 && status < 300 ? 'good' : 'plain';
  return <Chip tone={tone}>{status}</Chip>;
}
