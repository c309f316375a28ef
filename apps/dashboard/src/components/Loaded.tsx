import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorCard } from './Notices.js';
import { RowsSkeleton } from './Skeletons.js';

interface Props<T> {
  query: UseQueryResult<T>;
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}

/** The three states of what a page reads: on its way, failed, there. Data that is there stays while it is fetched again. */
export function Loaded<T>({ query, skeleton = <RowsSkeleton />, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorCard error={query.error} retry={() => void query.refetch()} />;
  return skeleton;
}
