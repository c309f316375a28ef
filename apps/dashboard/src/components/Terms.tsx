import type { ReactNode } from 'react';
import classes from './Terms.module.css';

/** Names and values of one thing. What has no value is left out. */
export function Terms({ items }: { items: readonly [term: string, value: ReactNode][] }) {
  return (
    <dl className={classes.terms}>
      {items
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([term, value]) => (
          <div key={term} className={classes.row}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
