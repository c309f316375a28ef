import type { AuditPage } from '#contracts';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** About a screen of rows: with fewer the search goes on by itself, with more when the list's end is reached. */
const ROWS = 50;
/** Pages that it takes by itself, a million records; then a person says whether it is worth going on. */
const PAGES = 100;

export interface Search {
  /** Until when all records were looked at; null: nothing is left to be searched. */
  backTo: string | null;
  going: boolean;
  further: () => void;
}

/** A page of a search ends after so many records, whatever it found; this asks for the next ones. */
export function useSearch(query: UseInfiniteQueryResult<InfiniteData<AuditPage>>, found: number): Search {
  const [pages, setPages] = useState(PAGES);
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const done = data?.pages.length ?? 0;
  const backTo = hasNextPage ? (data?.pages.at(-1)?.searchedBackTo ?? null) : null;
  const going = backTo !== null && !isError && (isFetching || (found < ROWS && done < pages));
  useEffect(() => {
    if (going && !isFetching) void fetchNextPage();
  }, [going, isFetching, fetchNextPage]);
  return {
    backTo,
    going,
    further: () => {
      setPages(done + PAGES);
      void fetchNextPage();
    },
  };
}
