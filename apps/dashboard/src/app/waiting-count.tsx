import { Badge } from '@mantine/core';
import { sharedMessages } from '../lib/messages.js';

/** The number of actions that wait for this person. Nothing is shown for 0. */
export function WaitingCount({ value, size }: { value: number; size?: 'sm' }) {
  if (value === 0) return null;
  return (
    <Badge variant="filled" color="pine" size={size} miw={20}>
      {value > 99 ? '99+' : value}
      <span className="visually-hidden"> {sharedMessages.nav.waiting(value)}</span>
    </Badge>
  );
}
