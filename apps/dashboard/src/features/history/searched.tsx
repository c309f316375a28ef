import { Button } from '@mantine/core';
import { day } from '../../lib/format.js';
import classes from './history.module.css';
import { messages } from './messages.js';
import type { Search } from './use-search.js';

/** How far back a search has come, and the way on where it has stopped. */
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
