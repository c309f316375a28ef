import type { ActionStatus } from '#contracts/states';
import { messages } from '../lib/messages.js';
import classes from './status-chip.module.css';

/** The status of an action as a tinted word. */
export function StatusChip({ status }: { status: ActionStatus }) {
  return (
    <span className={classes.chip} data-status={status}>
      {messages.status[status]}
    </span>
  );
}

/** An HTTP status, tinted by its class. */
export function StatusCode({ status }: { status: number }) {
  const tone =
    status >= 500 ? 'DENIED' : status >= 400 ? 'PENDING' : status >= 200 && status < 300 ? 'EXECUTED' : 'EXPIRED';
  return (
    <span className={classes.chip} data-status={tone}>
      {status}
    </span>
  );
}
