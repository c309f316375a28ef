import type { ReactNode } from 'react';
import classes from './status-chip.module.css';

/** A tinted word for a state. `StatusChip` shows the states of actions. */
export function Chip({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'good' | 'warning' | 'bad';
  children: ReactNode;
}) {
  const status = { plain: undefined, good: 'EXECUTED', warning: 'PENDING', bad: 'DENIED' }[tone];
  return (
    <span className={classes.chip} data-status={status}>
      {children}
    </span>
  );
}
