import type { ReactNode } from 'react';
import classes from './terms.module.css';

/** A list of names and values. Entries without a value are left out. */
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
