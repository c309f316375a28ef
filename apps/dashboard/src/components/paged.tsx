import { Button, Group, Stack } from '@mantine/core';
import { useId, useRef, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { USAGE_AGENTS_MAX } from '#contracts/limits';
import { pagedMessages } from './paged-messages.js';

/**
 * The page size. With more rows, the browser would need longer to render them than the gateway needs to list them. The
 * usage of agents is limited to this number, too.
 */
const PAGE = USAGE_AGENTS_MAX;

interface Props<T> {
  rows: readonly T[];
  children: (shown: readonly T[]) => ReactNode;
}

/** A long list in pages. The URL has the number of the page. */
export function Paged<T>({ rows, children }: Props<T>) {
  const [search, setSearch] = useSearchParams();
  const top = useRef<HTMLDivElement>(null);
  const edgeId = useId();
  const last = Math.max(1, Math.ceil(rows.length / PAGE));
  const page = Math.min(last, Math.max(1, Math.trunc(Number(search.get('page'))) || 1));
  const edge = page === 1 ? pagedMessages.first : page === last ? pagedMessages.last : null;
  const start = (page - 1) * PAGE;
  const shown = rows.slice(start, start + PAGE);
  const go = (to: number) => {
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.set('page', String(to));
      return next;
    });
    top.current?.scrollIntoView();
  };
  return (
    // Scrolls to below the sticky bar at the top.
    <Stack ref={top} gap="lg" style={{ scrollMarginBlockStart: 120 }}>
      {children(shown)}
      {last > 1 && (
        <Group
          justify="center"
          gap="8px 16px"
          c="dimmed"
          aria-label={pagedMessages.label}
          renderRoot={(root) => <nav {...root} />}
        >
          <Button
            variant="default"
            disabled={page === 1}
            aria-describedby={page === 1 ? edgeId : undefined}
            onClick={() => go(page - 1)}
          >
            {pagedMessages.previous}
          </Button>
          <span role="status">
            {pagedMessages.shown(start + 1, start + shown.length, rows.length)}
            {edge !== null && <span id={edgeId}> · {edge}</span>}
          </span>
          <Button
            variant="default"
            disabled={page === last}
            aria-describedby={page === last ? edgeId : undefined}
            onClick={() => go(page + 1)}
          >
            {pagedMessages.next}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
