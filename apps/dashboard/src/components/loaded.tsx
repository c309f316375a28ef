import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorCard } from './notices.js';
import { RowsSkeleton } from './skeletons.js';

interface Props<T> {
  query: UseQueryResult<T>;
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}

/** Shows a query as loading, failed or loaded. Loaded data stays visible during a refetch. */
export function Loaded<T>({ query, skeleton = <RowsSkeleton />, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorCard error={query.error} retry={() => void query.refetch()} />;
  return skeleton;
}
