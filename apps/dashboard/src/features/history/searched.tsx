import { Button } from '@mantine/core';
import { day } from '../../lib/format.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import type { Search } from './use-search.js';

/** Shows how far back the search is, with a button to continue when it stops. */
export function Searched({ search: { backTo, going, further } }: { search: Search }) {
  if (backTo === null) return null;
  return (
    <p className={classes.searched} aria-busy={going}>
      {going ? messages.search.going(day(backTo)) : messages.search.stopped(day(backTo))}
      {!going && (
        <Button size="xs" variant="default" onClick={further}>
          {messages.search.further}
        </Button>
      )}
    </p>
  );
}
