import { Button, Stack } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sharedMessages } from '../lib/messages.js';
import { ErrorCard } from './notices.js';
import { RowsSkeleton } from './skeletons.js';

interface Props<T> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: readonly T[] }>>;
  /** Shown if there are no rows. */
  empty: ReactNode;
  children: (rows: readonly T[]) => ReactNode;
}

/** Shows a list that arrives in pages as loading, failed, empty, or as its rows and a button for more. */
export function LoadedPages<T>({ query, empty, children }: Props<T>) {
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  if (query.isError && rows.length === 0) return <ErrorCard error={query.error} retry={() => void query.refetch()} />;
  if (query.isPending) return <RowsSkeleton />;
  if (rows.length === 0) return empty;
  return (
    <Stack>
      {children(rows)}
      {query.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {sharedMessages.actions.loadMore}
        </Button>
      )}
    </Stack>
  );
}
