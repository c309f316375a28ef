import type { ReactNode } from 'react';
import classes from './StatusChip.module.css';

/** A word with a tint, for states that are not an action's. */
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
