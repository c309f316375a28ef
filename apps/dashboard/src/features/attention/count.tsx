import { Badge } from '@mantine/core';
import { messages } from './messages.js';
import { useTroubles } from './use-troubles.js';

/** The number of things that need an administrator, in the menu. Nothing is shown for 0. */
export default function AttentionCount() {
  const count = useTroubles().troubles?.length ?? 0;
  if (count === 0) return null;
  return (
    <Badge color="medium" miw={20}>
      {count > 99 ? '99+' : count}
      <span className="visually-hidden"> {messages.count(count)}</span>
    </Badge>
  );
}
