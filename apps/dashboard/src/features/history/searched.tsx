import { Button, Group } from '@mantine/core';
import { day } from '../../lib/format.js';
import { messages } from './messages.js';
import type { Search } from './use-search.js';

/** Shows how far back the search is, with a button to continue when it stops. */
export function Searched({ search: { backTo, going, further } }: { search: Search }) {
  if (backTo === null) return null;
  return (
    <Group px="lg" py={10} c="dimmed" fz="sm" aria-busy={going}>
      {going ? messages.search.going(day(backTo)) : messages.search.stopped(day(backTo))}
      {!going && (
        <Button size="xs" variant="default" onClick={further}>
          {messages.search.further}
        </Button>
      )}
    </Group>
  );
}
