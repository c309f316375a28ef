import { Box, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { Link } from 'react-router';
import { EmptyState, ErrorCard } from '../../components/notices.js';
import { dateTime } from '../../lib/format.js';
import { statsQuery } from './api.js';
import { DecisionFigures, RequestFigures } from './figures.js';
import { toStatsFilter, type HistoryView } from './filters.js';
import { messages } from './messages.js';

const Charts = lazy(() => import('./charts.js'));

interface Props {
  view: HistoryView;
  atMs: number;
}

/** The figures for the filtered records. */
export function Overview({ view, atMs }: Props) {
  const filter = useMemo(() => toStatsFilter(view, atMs), [view, atMs]);
  const stats = useQuery(statsQuery(filter));
  if (stats.isError && !stats.data) return <ErrorCard error={stats.error} retry={() => void stats.refetch()} />;
  const back = stats.data?.countedBackTo ?? null;
  return (
    <Stack gap="sm">
      {view.tab === 'decisions' ? <DecisionFigures stats={stats.data} /> : <RequestFigures stats={stats.data} />}
      {view.tab !== 'requests' && (
        <Text c="dimmed" size="sm">
          {messages.figures.undone}
        </Text>
      )}
      {back !== null && (
        <Text c="dimmed" size="sm">
          {messages.figures.countedBackTo(dateTime(back))}
        </Text>
      )}
    </Stack>
  );
}

interface ChartsTabProps extends Props {
  set: (change: Record<string, string | number | null>) => void;
  records: string;
}

/** The charts for the filtered records. A click on a chart adds a filter. */
export function ChartsTab({ view, atMs, set, records }: ChartsTabProps) {
  const filter = useMemo(() => toStatsFilter(view, atMs), [view, atMs]);
  const { data, isError } = useQuery(statsQuery(filter));
  const fromMs = filter.from ? Date.parse(filter.from) : atMs - 7 * 86_400_000;
  // The figures above show the error.
  if (isError && !data) return null;
  if (data?.overTime.length === 0) return <EmptyState icon="history" title={messages.charts.nothing} />;
  return (
    <>
      <Button component={Link} to={records} replace variant="default" style={{ alignSelf: 'start' }}>
        {messages.charts.toRecords}
      </Button>
      <Suspense fallback={<Box h={480} aria-busy="true" />}>
        {data ? (
          <Charts
            stats={data}
            fromMs={fromMs}
            toMs={filter.to ? Math.min(Date.parse(filter.to), atMs) : atMs}
            onTime={(from, to) =>
              set({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), range: null })
            }
            onAgent={(id) => set({ agent: id })}
          />
        ) : (
          <Box h={480} aria-busy="true" />
        )}
      </Suspense>
    </>
  );
}
