import type { AuditPage } from '#contracts';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/**
 * About one screen of rows. With fewer rows, the search continues automatically. With more, it continues at the end of
 * the list.
 */
const ROWS = 50;
/**
 * The number of pages that it searches automatically, a million records. After that, the user decides whether to
 * continue.
 */
const PAGES = 100;

export interface Search {
  /** All records back to this time are searched. null if none are left. */
  backTo: string | null;
  going: boolean;
  further: () => void;
}

/** The server searches a limited number of records per page, even if none match. This fetches the next pages. */
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
