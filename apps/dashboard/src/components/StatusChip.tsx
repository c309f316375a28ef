import type { ActionStatus } from '#contracts/states';
import { messages } from '../lib/messages.js';
import classes from './StatusChip.module.css';

/** The state of an action, as a word with a tint. */
export function StatusChip({ status }: { status: ActionStatus }) {
  return (
    <span className={classes.chip} data-status={status}>
      {messages.status[status]}
    </span>
  );
}
